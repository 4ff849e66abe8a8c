import { Global, Logger, Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { AppConfig } from '../config/app-config.js';
import { Clock } from '../common/clock.js';
import { setRoleTimeouts, databaseOptions, openDatabase } from './data-source.js';
import { DatabaseClock } from './database-clock.js';
import { DatabaseProbe } from './database-probe.js';
import { DomainEvents } from './domain-events.js';
import { Leases } from './leases.js';
import { StreamingReads } from './streaming-reads.js';
import { migrationsFromFiles } from './migrations.js';
import { PgNotifications } from './pg-notifications.js';
import { Replicas } from './replicas.js';
import { Snapshots } from './snapshots.js';
import { UnitOfWork } from './unit-of-work.js';

const PROVIDERS = [
  UnitOfWork,
  Snapshots,
  StreamingReads,
  Replicas,
  DomainEvents,
  PgNotifications,
  Leases,
  DatabaseProbe,
];

/** The database connection, and what every module needs for it: units of work, domain events, leases, notifications. */
@Global()
@Module({})
export class DatabaseModule implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly config: AppConfig,
  ) {}

  static forRoot(): DynamicModule {
    const log = new Logger('Database');
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          inject: [AppConfig],
          useFactory: (config: AppConfig) => ({
            ...databaseOptions(config),
            autoLoadEntities: true,
            migrations: migrationsFromFiles(),
            retryAttempts: 0, // `openDatabase` repeats attempts itself
          }),
          dataSourceFactory: (options) => openDatabase(options as DataSourceOptions, (line) => log.log(line)),
        }),
      ],
      providers: [
        ...PROVIDERS,
        {
          provide: DatabaseClock,
          inject: [DataSource, Clock],
          useFactory: (dataSource: DataSource, clock: Clock) => new DatabaseClock(dataSource, clock).begin(),
        },
      ],
      exports: [...PROVIDERS, DatabaseClock],
    };
  }

  async onModuleInit(): Promise<void> {
    await setRoleTimeouts(this.dataSource, this.config);
  }
}

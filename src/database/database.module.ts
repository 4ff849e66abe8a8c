import { Global, Logger, Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { CredentialKeys } from '../common/credential-keys.js';
import { isServerFault } from '../common/errors/database-error.js';
import { AppConfig } from '../config/app-config.js';
import { setRoleSettings, databaseOptions, openDatabase } from './data-source.js';
import { DatabaseClock } from './database-clock.js';
import { migrationsFromFiles } from './migrations.js';
import { PgNotifications } from './pg-notifications.js';
import { Replicas } from './replicas.js';
import { Snapshots } from './snapshots.js';
import { UnitOfWork } from './unit-of-work.js';

const PROVIDERS = [UnitOfWork, Snapshots, Replicas, PgNotifications, DatabaseClock];

const log = new Logger('Database');

/** The database connection, and what every module needs for it: units of work, snapshots, notifications. */
@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [AppConfig],
      useFactory: (config: AppConfig) => ({
        ...databaseOptions(config),
        autoLoadEntities: true,
        migrations: migrationsFromFiles(
          new CredentialKeys([config.TOKEN_HASH_KEY, ...config.TOKEN_HASH_KEY_ALSO]),
        ),
        // The program has waited for the database. On a busy machine the first connection can still take longer than
        // DATABASE_POOL_WAIT_MS.
        retryAttempts: 5,
        retryDelay: 1000,
        toRetry: isServerFault,
      }),
      dataSourceFactory: (options) => openDatabase(options as DataSourceOptions, (line) => log.log(line)),
    }),
  ],
  providers: PROVIDERS,
  exports: PROVIDERS,
})
export class DatabaseModule implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly config: AppConfig,
  ) {}

  async onModuleInit(): Promise<void> {
    await setRoleSettings(this.dataSource, this.config);
  }
}

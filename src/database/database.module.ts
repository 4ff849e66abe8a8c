import { Global, Logger, Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { DataSourceOptions } from 'typeorm';
import { AppConfig } from '../config/app-config.js';
import { databaseOptions, openDatabase } from './data-source.js';
import { Facts } from './facts.js';
import { LongReads } from './long-reads.js';
import { migrationsFromFiles } from './migrations.js';
import { Notices } from './notices.js';
import { Snapshots } from './snapshots.js';
import { UnitOfWork } from './unit-of-work.js';

/** The connection, the unit of work and the facts told in it. */
@Global()
@Module({})
export class DatabaseModule {
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
            retryAttempts: 0,
          }),
          dataSourceFactory: (options) => openDatabase(options as DataSourceOptions, (line) => log.log(line)),
        }),
      ],
      providers: [UnitOfWork, Snapshots, LongReads, Facts, Notices],
      exports: [UnitOfWork, Snapshots, LongReads, Facts, Notices],
    };
  }
}

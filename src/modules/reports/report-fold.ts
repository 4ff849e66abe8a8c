import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { Repeated } from '../../http/lifecycle/repeated.js';

const EVERY_MS = 30_000;

/** Folds what was appended to the sums of the reports and of the lists, so that reading them stays cheap. No figure depends on it. */
@Injectable()
export class ReportFold implements OnModuleInit, OnModuleDestroy {
  private readonly folding = new Repeated(
    () => this.fold(),
    new Logger('Reports'),
    'the sums could not be folded, the next turn tries again',
  );

  constructor(private readonly uow: UnitOfWork) {}

  onModuleInit(): void {
    this.folding.begin(EVERY_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await this.folding.end();
  }

  /** One replica at a time; the others pass. */
  async fold(): Promise<void> {
    await this.uow.apart((tx) =>
      tx.query(
        `select report_fold(), list_fold() where pg_try_advisory_xact_lock(hashtextextended('report fold', 0))`,
      ),
    );
  }
}

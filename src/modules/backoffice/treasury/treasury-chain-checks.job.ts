import { Injectable } from '@nestjs/common';
import { Job } from '../../../jobs/job.decorator.js';
import { Clock } from '../../../common/clock.js';
import { DAY_MS } from '../../../common/durations.js';
import { TransactionLookupService } from '../../providers/chain/transaction-lookup.service.js';
import { AdminTransactionsRepository } from './admin-transactions.repository.js';
import { TreasuryChainChecksService } from './treasury-chain-checks.service.js';

const HASHES_PER_RUN = 100;

/** A payment to an address that the platform does not know stays unverified for ever: a hash is checked for a day at most. */
const MAX_AGE_MS = DAY_MS;

/** Checks the hashes of confirmed admin transactions again until each is `matched` or `mismatch`, for a day at most. */
@Injectable()
export class TreasuryChainChecksJob {
  constructor(
    private readonly lookups: TransactionLookupService,
    private readonly repository: AdminTransactionsRepository,
    private readonly chainChecks: TreasuryChainChecksService,
    private readonly clock: Clock,
  ) {}

  @Job({
    name: 'treasury-chain-checks',
    purpose:
      'Compares the hashes of confirmed admin transactions with the chain, until it has settled them, for a day at most',
    everySeconds: 60,
  })
  async recheckUnverifiedHashes(stopping: AbortSignal): Promise<void> {
    const confirmedAfter = new Date(this.clock.now().getTime() - MAX_AGE_MS);
    const unverified = await this.repository.findUnverifiedHashes(confirmedAfter, HASHES_PER_RUN);
    await this.lookups.recheckUnverified(
      unverified,
      (id, lookup) => this.chainChecks.recordLookup(id, lookup),
      stopping,
    );
  }
}

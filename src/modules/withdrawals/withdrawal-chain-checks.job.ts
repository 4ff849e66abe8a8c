import { Injectable } from '@nestjs/common';
import { Job } from '../../jobs/job.decorator.js';
import { TransactionLookupService } from '../blockchain/transaction-lookup.service.js';
import { WithdrawalPaymentsRepository } from './withdrawal-payments.repository.js';
import { WithdrawalPaymentsService } from './withdrawal-payments.service.js';

@Injectable()
export class WithdrawalChainChecksJob {
  constructor(
    private readonly lookups: TransactionLookupService,
    private readonly repository: WithdrawalPaymentsRepository,
    private readonly payments: WithdrawalPaymentsService,
  ) {}

  @Job({
    name: 'withdrawal-chain-checks',
    purpose:
      'Looks up the transaction hashes of completed withdrawals on chain until each is matched or a mismatch',
    everySeconds: 60,
  })
  async recheckUnverified(stopping: AbortSignal): Promise<void> {
    const unverified = await this.repository.findUnverified();
    await this.lookups.recheckUnverified(
      unverified,
      (id, lookup) => this.payments.recordChainCheck(id, lookup),
      stopping,
    );
  }
}

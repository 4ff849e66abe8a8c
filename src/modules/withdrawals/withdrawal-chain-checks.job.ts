import { Injectable } from '@nestjs/common';
import { Job } from '../../jobs/job.decorator.js';
import { ChainSightings } from '../blockchain/chain-sightings.js';
import { WithdrawalPaymentsRepository } from './withdrawal-payments.repository.js';
import { WithdrawalPaymentsService } from './withdrawal-payments.service.js';

@Injectable()
export class WithdrawalChainChecksJob {
  constructor(
    private readonly sightings: ChainSightings,
    private readonly repository: WithdrawalPaymentsRepository,
    private readonly payments: WithdrawalPaymentsService,
  ) {}

  @Job({
    name: 'withdrawal-chain-checks',
    purpose: 'Compares the hashes of completed withdrawals with the chain, until it has settled them',
    everySeconds: 60,
  })
  async recheckUnverified(stopping: AbortSignal): Promise<void> {
    const unverified = await this.repository.findUnverified();
    await this.sightings.lookAgain(
      unverified,
      (id, sighting) => this.payments.recordChainCheck(id, sighting),
      stopping,
    );
  }
}

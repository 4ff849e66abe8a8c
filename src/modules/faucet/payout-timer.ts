import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Repeated } from '../../http/lifecycle/repeated.js';
import { FaucetAccount } from './faucet-account.js';
import { PayoutDelivery } from './payout-delivery.js';

const EVERY_MS = 5000;

/** Settles what no request waits for any more: after a crash, an outage or a slow block. On every replica. */
@Injectable()
export class PayoutTimer implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly settling = new Repeated(
    () => this.delivery.settle(),
    new Logger('Faucet'),
    'payouts wait to be settled',
  );

  constructor(
    private readonly account: FaucetAccount,
    private readonly delivery: PayoutDelivery,
  ) {}

  onApplicationBootstrap(): void {
    if (this.account.isOpen) this.settling.begin(EVERY_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await this.settling.end();
  }
}

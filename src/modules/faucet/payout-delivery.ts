import { Injectable, Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { Job } from '../../jobs/job.decorator.js';
import { ChainClient, type ChainTransaction } from '../blockchain/chain.client.js';
import { FaucetAccount } from './faucet-account.js';
import { nextNonce } from './nonces.js';
import type { Payout } from './payout.js';
import { Payouts } from './payouts.js';
import { FaucetCooldowns } from './turns.js';

const PATIENCE_MS = 6000;
const LOOK_EVERY_MS = 200;
const BATCH = 50;

/** A payout, and how many blocks confirm it. */
export interface Delivered {
  readonly payout: Payout;
  readonly confirmations: number;
}

/**
 * Sends what is written and signed, and settles it by what the chain says. Sending again is the very same transaction,
 * which the chain takes once; another one is signed only when the first can never be mined.
 */
@Injectable()
export class PayoutDelivery {
  private readonly log = new Logger('Faucet');

  constructor(
    private readonly account: FaucetAccount,
    private readonly chain: ChainClient,
    private readonly unitOfWork: UnitOfWork,
    private readonly payouts: Payouts,
    private readonly turns: FaucetCooldowns,
  ) {}

  /** Sends a payout and waits for it a while; what is pending then is settled later. Never refuses: it will be paid. */
  async deliver(written: Payout): Promise<Delivered> {
    const deadlineMs = performance.now() + PATIENCE_MS;
    let delivered: Delivered = { payout: written, confirmations: 0 };
    await this.account.send(written.signedTransaction);
    for (;;) {
      delivered = await this.look(delivered.payout).catch((error: unknown) => {
        this.log.warn({ msg: 'a payout is settled later', err: error });
        return delivered;
      });
      if (delivered.payout.status !== 'pending' || performance.now() > deadlineMs) return delivered;
      await sleep(LOOK_EVERY_MS);
    }
  }

  /** Looks every pending payout up once, and sends again what the chain does not have. Throws BLOCKCHAIN_ERROR. */
  @Job({
    name: 'faucet-payouts',
    purpose:
      'Settles payouts of the faucet whose requests have ended: after a crash, an outage or a slow block',
    everySeconds: 5,
  })
  async settle(): Promise<void> {
    if (!this.account.isOpen) return;
    for (const written of await this.payouts.pending(BATCH)) {
      const { payout } = await this.look(written);
      if (payout.status === 'pending') await this.account.send(payout.signedTransaction);
    }
  }

  private async look(payout: Payout): Promise<Delivered> {
    // Counted before it is looked up: what is mined in between is found.
    const minedCount = await this.account.minedCount(payout.sender);
    const seen = await this.chain.transaction(payout.txHash);
    if (seen && seen.blockNumber !== null) {
      return { payout: await this.record(payout, seen), confirmations: seen.confirmations };
    }
    if (minedCount <= payout.nonce) return { payout, confirmations: 0 };
    const again = await this.signAgain(payout);
    await this.account.send(again.signedTransaction);
    return { payout: again, confirmations: 0 };
  }

  private record({ id, txHash }: Payout, seen: ChainTransaction): Promise<Payout> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const stored = await this.payouts.get(tx, id);
      if (stored.status !== 'pending' || stored.txHash !== txHash) return stored; // another one was first
      if (!seen.succeeded) await this.turns.giveBack(tx, id);
      return this.payouts.settle(tx, id, seen);
    });
  }

  /** Its nonce went to another transaction, so that this one can never be mined. */
  private async signAgain({ id, txHash }: Payout): Promise<Payout> {
    const sender = this.account.address;
    const before = await this.payouts.nonces(sender);
    const funds = await this.account.funds();
    return this.unitOfWork.runInTransaction(async (tx) => {
      const now = await this.payouts.lockAccount(tx, sender);
      const stored = await this.payouts.get(tx, id);
      if (stored.status !== 'pending' || stored.txHash !== txHash) return stored; // another one was first
      const to = { to: stored.walletAddress, amount: stored.amount };
      const signed = await this.account.sign(to, nextNonce(funds.count, before, now), funds);
      return this.payouts.signAgain(tx, id, sender, signed);
    });
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { UnitOfWork } from '../../../database/unit-of-work.js';
import { Job } from '../../../jobs/job.decorator.js';
import { ChainClient, type ChainTransaction } from '../../providers/chain/chain.client.js';
import { nextNonce } from './domain/payouts.js';
import type { FaucetPayout } from './entities/faucet.entity.js';
import { FaucetAccountClient } from './faucet-account.client.js';
import { FaucetRepository } from './faucet.repository.js';
import type { PayoutDelivery } from './faucet.types.js';

const MAX_WAIT_MS = 6000;
const POLL_INTERVAL_MS = 200;
const PAYOUTS_PER_RUN = 50;

/**
 * Sends stored payouts and settles them by what the chain shows. A payout is sent again with the same transaction, which
 * the chain mines at most once. It is signed again only when its transaction can never be mined.
 */
@Injectable()
export class PayoutDeliveryJob {
  private readonly log = new Logger('Faucet');

  constructor(
    private readonly account: FaucetAccountClient,
    private readonly chain: ChainClient,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly faucet: FaucetRepository,
  ) {}

  /** Sends a payout and waits up to `MAX_WAIT_MS` for its block. If it is pending after that, a run of the job settles it. */
  async deliverPayout(stored: FaucetPayout): Promise<PayoutDelivery> {
    const deadlineMs = performance.now() + MAX_WAIT_MS;
    let delivery: PayoutDelivery = { payout: stored, confirmations: 0 };
    await this.account.sendTransaction(stored.signedTransaction);
    for (;;) {
      delivery = await this.checkPayout(delivery.payout).catch((error: unknown) => {
        this.log.warn({ msg: 'a payout is settled later', err: error });
        return delivery;
      });
      if (delivery.payout.status !== 'pending' || performance.now() > deadlineMs) return delivery;
      await sleep(POLL_INTERVAL_MS);
    }
  }

  /** Checks up to `PAYOUTS_PER_RUN` pending payouts, and sends those again that no block contains. Throws BLOCKCHAIN_ERROR. */
  @Job({
    name: 'faucet-payouts',
    purpose:
      'Settles payouts of the faucet whose requests have ended: after a crash, an outage or a slow block',
    everySeconds: 5,
  })
  async settlePendingPayouts(): Promise<void> {
    if (!this.account.isOpen) return;
    for (const stored of await this.faucet.findPendingPayouts(PAYOUTS_PER_RUN)) {
      const { payout } = await this.checkPayout(stored);
      if (payout.status === 'pending') await this.account.sendTransaction(payout.signedTransaction);
    }
  }

  /** Looks the payout up on chain, then settles it, leaves it pending, or signs and sends it again. */
  private async checkPayout(payout: FaucetPayout): Promise<PayoutDelivery> {
    // The count is read first: if the payout's transaction is mined between the two reads, the second one finds it.
    const minedCount = await this.account.readMinedCount(payout.sender);
    const transaction = await this.chain.transaction(payout.txHash);
    if (transaction && transaction.blockNumber !== null) {
      const settled = await this.settlePayout(payout, transaction);
      return { payout: settled, confirmations: transaction.confirmations };
    }
    if (minedCount <= payout.nonce) return { payout, confirmations: 0 };
    const resigned = await this.signAgain(payout);
    await this.account.sendTransaction(resigned.signedTransaction);
    return { payout: resigned, confirmations: 0 };
  }

  /** A reverted payout ends the cooldown of its address. */
  private settlePayout({ id, txHash }: FaucetPayout, transaction: ChainTransaction): Promise<FaucetPayout> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const payout = await this.faucet.lockPayout(tx, id);
      if (payout.status !== 'pending' || payout.txHash !== txHash) return payout; // changed by another process
      if (!transaction.succeeded) await this.faucet.deleteCooldown(tx, id);
      return this.faucet.settlePayout(tx, payout, transaction, this.clock.now());
    });
  }

  /** Signs a payout with another nonce: another transaction has used the old one, so the payout's own can never be mined. */
  private async signAgain({ id, txHash }: FaucetPayout): Promise<FaucetPayout> {
    const sender = this.account.address;
    const noncesBefore = await this.faucet.getNonces(sender);
    const funds = await this.account.readFunds();
    return this.unitOfWork.runInTransaction(async (tx) => {
      const noncesUnderLock = await this.faucet.lockAccount(tx, sender);
      const payout = await this.faucet.lockPayout(tx, id);
      if (payout.status !== 'pending' || payout.txHash !== txHash) return payout; // changed by another process
      const nonce = nextNonce(funds.minedCount, noncesBefore, noncesUnderLock);
      const signed = await this.account.signTransfer(payout, nonce, funds);
      return this.faucet.replaceTransaction(tx, payout, sender, signed);
    });
  }
}

import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { Job } from '../../jobs/job.decorator.js';
import { Clock } from '../../kernel/clock.js';
import { Money } from '../../kernel/money.js';
import { Alerts } from '../alerts/alerts.service.js';
import { normalHash } from '../blockchain/chain-check.js';
import { ChainSightings } from '../blockchain/chain-sightings.js';
import { Chain } from '../blockchain/chain.js';
import { lockTxHash } from '../blockchain/tx-hashes.js';
import { paidAfterFailureAlert } from './late-payments.js';
import { WithdrawalChainChecks } from './withdrawal-chain-checks.js';
import { WithdrawalRecords } from './withdrawal.records.js';

const RELEASED_FOR_MS = 7 * 86_400_000;
const MOST_AT_ONCE = 200;
/** Of one question to the node, and of one run: 33 hours of twelve seconds each. */
const BLOCKS_AT_ONCE = 1_000;
const MOST_BLOCKS = 10_000;
/** A reorganisation may bring a transfer into a block that was read before. */
const READ_AGAIN = 50;

interface Failed {
  readonly id: string;
  readonly toAddress: string;
  readonly amount: string;
}

@Injectable()
export class LatePaymentWatch {
  /** Withdrawals whose past was read here, and the newest block that was. */
  private known = new Set<string>();
  private readUntil = -1;

  constructor(
    private readonly dataSource: DataSource,
    private readonly uow: UnitOfWork,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly sightings: ChainSightings,
    private readonly records: WithdrawalRecords,
    private readonly chainChecks: WithdrawalChainChecks,
    private readonly alerts: Alerts,
  ) {}

  /** Throws BLOCKCHAIN_ERROR. */
  @Job({
    name: 'late-payments',
    purpose: 'Looks for payments of failed withdrawals on chain, and raises an alert for each',
    everySeconds: 60,
    exclusive: true,
  })
  async look(stopping: AbortSignal): Promise<void> {
    const failed = await this.failed();
    if (failed.length === 0) return;
    const newest = await this.chain.newestBlock();
    const isKnown = failed.every(({ id }) => this.known.has(id));
    const oldest = Math.max(0, newest - MOST_BLOCKS + 1);
    const first = isKnown ? Math.max(oldest, this.readUntil - READ_AGAIN) : oldest;
    for (let from = first; from <= newest && !stopping.aborted; from += BLOCKS_AT_ONCE) {
      const until = Math.min(newest, from + BLOCKS_AT_ONCE - 1);
      const addresses = [...new Set(failed.map(({ toAddress }) => toAddress))];
      for (const { hash, to, amount } of await this.chain.transfersTo(addresses, from, until)) {
        for (const withdrawal of failed)
          if (
            withdrawal.toAddress.toLowerCase() === to.toLowerCase() &&
            amount.equals(Money.of(withdrawal.amount))
          )
            await this.lookAt(withdrawal.id, hash);
      }
    }
    this.known = new Set(failed.map(({ id }) => id));
    this.readUntil = newest;
  }

  /** Raises the alert if the transaction pays this failed withdrawal; true if it does. */
  async lookAt(id: string, hash: string): Promise<boolean> {
    const txHash = normalHash(hash);
    const sighting = await this.sightings.look(txHash);
    return this.uow.run(async (tx) => {
      const withdrawal = await this.records.lockIfThere(tx, id);
      if (withdrawal?.status !== 'failed') return false;
      await lockTxHash(tx, txHash);
      const paidBefore = await this.records.paidBy(tx, txHash, withdrawal);
      const isPaid =
        this.chainChecks.judgeTransfer(sighting, withdrawal, paidBefore, 0).chainCheck === 'matched';
      if (isPaid) await this.alerts.raise(paidAfterFailureAlert(withdrawal, txHash), tx);
      return isPaid;
    });
  }

  /** Released ones, too, for a week: their amount would be paid twice. The newest first. */
  private failed(): Promise<Failed[]> {
    const since = new Date(this.clock.now().getTime() - RELEASED_FOR_MS);
    return this.dataSource.query<Failed[]>(
      `select id, to_address as "toAddress", amount from withdrawal
        where status = 'failed' and (released_at is null or released_at > $1)
        order by created_at desc, id desc limit ${MOST_AT_ONCE}`,
      [since],
    );
  }
}

import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { Money } from '../../common/money.js';
import type { ChainTransaction } from '../blockchain/chain.client.js';
import type { SignedTransfer } from './faucet-account.js';
import type { Nonces } from './nonces.js';
import { PAYOUT, payoutOf, type Payout, type PayoutRow } from './payout.js';

export type NewPayout = Omit<Payout, 'status' | 'blockNumber' | 'gasUsed' | 'gasPrice'>;

/** What payouts that are not mined yet, and those of a day, take away. */
export interface Spoken {
  readonly underWay: Money;
  readonly underWayCount: number;
  readonly since: Money;
}

const NONCES = `select coalesce(max(next_nonce), 0)::int as next, coalesce(max(signatures), 0)::int as signatures,
    array(select nonce::int from faucet_payout where sender = $1 and status = 'pending') as "underWay"
  from faucet_account where address = $1`;

/** The table of payouts. Statements that change a nonce run while the account's row is locked. */
@Injectable()
export class Payouts {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  async nonces(sender: string): Promise<Nonces> {
    const [nonces] = await this.dataSource.query<Nonces[]>(NONCES, [sender]);
    return nonces as Nonces;
  }

  /** Payouts of one account are written one after another from here on. */
  async lockAccount(tx: Tx, sender: string): Promise<Nonces> {
    await tx.query(
      'insert into faucet_account (address, next_nonce, signatures) values ($1, 0, 0) on conflict do nothing',
      [sender],
    );
    // Two statements: the second one sees what was committed while the first one waited.
    await tx.query('select from faucet_account where address = $1 for update', [sender]);
    const [nonces] = await tx.query<Nonces[]>(NONCES, [sender]);
    return nonces as Nonces;
  }

  async spoken(tx: Tx, since: Date): Promise<Spoken> {
    const [row] = await tx.query<{ underWay: string; underWayCount: number; since: string }[]>(
      `select coalesce(sum(amount) filter (where status = 'pending'), 0) as "underWay",
              count(*) filter (where status = 'pending')::int as "underWayCount",
              coalesce(sum(amount) filter (where requested_at >= $1), 0) as since
         from faucet_payout where status = 'pending' or (requested_at >= $1 and status = 'completed')`,
      [since],
    );
    return {
      underWay: Money.of(row?.underWay ?? '0'),
      underWayCount: row?.underWayCount ?? 0,
      since: Money.of(row?.since ?? '0'),
    };
  }

  async add(tx: Tx, payout: NewPayout): Promise<Payout> {
    await this.countSignature(tx, payout.sender, payout);
    const [row] = await tx.query<PayoutRow[]>(
      `insert into faucet_payout
         (id, wallet_address, amount, reason, status, requested_at, sender, nonce, tx_hash, signed_transaction)
       values ($1, $2, $3, $4, 'pending', $5, $6, $7, $8, $9) returning ${PAYOUT}`,
      [
        ...[payout.id, payout.walletAddress, payout.amount.toString(), payout.reason, payout.requestedAt],
        ...[payout.sender, payout.nonce, payout.txHash, payout.signedTransaction],
      ],
    );
    return payoutOf(row as PayoutRow);
  }

  async get(tx: Tx, id: string): Promise<Payout> {
    const [row] = await tx.query<PayoutRow[]>(
      `select ${PAYOUT} from faucet_payout where id = $1 for update`,
      [id],
    );
    return payoutOf(row as PayoutRow);
  }

  async signAgain(tx: Tx, id: string, sender: string, signed: SignedTransfer): Promise<Payout> {
    await this.countSignature(tx, sender, signed);
    await tx.query(
      `update faucet_payout set sender = $2, nonce = $3, tx_hash = $4, signed_transaction = $5 where id = $1`,
      [id, sender, signed.nonce, signed.txHash, signed.signedTransaction],
    );
    return this.get(tx, id);
  }

  async settle(tx: Tx, id: string, mined: ChainTransaction): Promise<Payout> {
    await tx.query(
      `update faucet_payout
          set status = $2, block_number = $3, gas_used = $4, gas_price = $5, settled_at = $6 where id = $1`,
      [
        ...[id, mined.succeeded ? 'completed' : 'failed', mined.blockNumber, mined.gasUsed, mined.gasPrice],
        this.clock.now(),
      ],
    );
    return this.get(tx, id);
  }

  /** In the order in which the chain can take them. */
  async pending(limit: number): Promise<Payout[]> {
    const rows = await this.dataSource.query<PayoutRow[]>(
      `select ${PAYOUT} from faucet_payout where status = 'pending' order by sender, nonce limit $1`,
      [limit],
    );
    return rows.map(payoutOf);
  }

  private async countSignature(tx: Tx, sender: string, { nonce }: SignedTransfer): Promise<void> {
    await tx.query(
      'update faucet_account set next_nonce = $2::bigint + 1, signatures = signatures + 1 where address = $1',
      [sender, nonce],
    );
  }
}

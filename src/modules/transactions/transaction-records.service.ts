import { Injectable } from '@nestjs/common';
import { prepared } from '../../database/prepared.js';
import type { Tx } from '../../database/unit-of-work.js';
import { newId } from '../../common/ids.js';
import type { Money } from '../../common/money.js';
import type { Mined } from '../blockchain/mined.js';
import {
  statusAfter,
  statusesBefore,
  type TransactionType,
  type TransactionVerb,
} from './domain/transaction.state-machine.js';

/** What the chain knows of a movement. */
interface OnChain extends Mined {
  readonly fromAddress: string | null;
  readonly toAddress: string | null;
  readonly txHash: string | null;
  /** Whether it is on its way on chain, or at the custody provider, from now on. */
  readonly submitted: boolean;
}

/** One thing that happened to a record, with all that is known of it by then. */
export interface TransactionEvent {
  readonly userId: string;
  readonly type: TransactionType;
  /** What the record stands for: one record per reference and type. */
  readonly reference: { readonly type: string; readonly id: string };
  readonly verb: TransactionVerb;
  /** Domain time. */
  readonly at: Date;
  /** In `currency`; a loss is negative. */
  readonly amount: Money;
  readonly currency: string;
  /** What the record has done to the available USDC balance, this event included. */
  readonly balanceChange: Money;
  /** What it is, in a few words. */
  readonly description: string;
  /** What happened just now, for the timeline. */
  readonly news: string;
  readonly strategy?: { readonly id: string; readonly name: string };
  readonly chain?: OnChain;
}

const COLUMNS = `id, user_id, type, status, amount, currency, balance_change, reference_type, reference_id, description,
  from_address, to_address, tx_hash, block_number, confirmations, gas_used, gas_price, strategy_id, strategy_name,
  created_at, submitted_at, completed_at, timeline`;

const INSERT = `insert into user_transaction as held (${COLUMNS})
  select ${COLUMNS} from jsonb_populate_recordset(null::user_transaction, $1)`;

// What is told twice in the same words stands in the timeline once. What is unknown now may have been known before.
const OR_UPDATE = `on conflict on constraint user_transaction_fact do update
  set status = excluded.status, amount = excluded.amount, currency = excluded.currency,
      balance_change = excluded.balance_change, description = excluded.description,
      from_address = coalesce(excluded.from_address, held.from_address),
      to_address = coalesce(excluded.to_address, held.to_address),
      tx_hash = coalesce(excluded.tx_hash, held.tx_hash),
      block_number = excluded.block_number, confirmations = excluded.confirmations,
      gas_used = excluded.gas_used, gas_price = excluded.gas_price,
      submitted_at = coalesce(held.submitted_at, excluded.submitted_at), completed_at = excluded.completed_at,
      timeline = case when held.timeline #>> '{-1,description}' = excluded.timeline #>> '{0,description}'
                      then held.timeline else held.timeline || excluded.timeline end
  where held.status = any($2)`;

const SHOWN_BY_CHAIN = `update user_transaction set block_number = $3, confirmations = $4, gas_used = $5, gas_price = $6
  where reference_type = $1 and reference_id = $2 and type in ('deposit', 'withdrawal')`;

/** Writes the records that users see, always in the transaction of what they tell. */
@Injectable()
export class TransactionRecords {
  /** Adds records of things that are done as they happen, in one round trip; fails on a fact recorded before. */
  async add(tx: Tx, ...events: TransactionEvent[]): Promise<void> {
    if (events.length > 0) await tx.query(prepared(INSERT), [JSON.stringify(events.map(asRow))]);
  }

  /** Adds a record or moves the one there is. Fails when the record is in a state that the verb does not leave. */
  async follow(tx: Tx, event: TransactionEvent): Promise<void> {
    const written = (await tx.query(prepared(`${INSERT} ${OR_UPDATE} returning held.id`), [
      JSON.stringify([asRow(event)]),
      statusesBefore(event.verb, event.type),
    ])) as unknown[];
    if (written.length === 0) {
      throw new Error(
        `transaction of ${event.reference.type} ${event.reference.id}: ${event.verb} comes too late`,
      );
    }
  }

  /** What the chain shows of the transfer behind a record, found when it stood there already. */
  async foundOnChain(tx: Tx, { type, id }: TransactionEvent['reference'], mined: Mined): Promise<void> {
    const { blockNumber, confirmations, gasUsed, gasPrice } = mined;
    await tx.query(SHOWN_BY_CHAIN, [type, id, blockNumber, confirmations, gasUsed, gasPrice]);
  }
}

function asRow(event: TransactionEvent): Record<string, unknown> {
  const status = statusAfter(event.verb);
  const at = event.at.toISOString();
  return {
    id: newId(),
    user_id: event.userId,
    type: event.type,
    status,
    amount: event.amount.toString(),
    currency: event.currency,
    balance_change: event.balanceChange.toString(),
    reference_type: event.reference.type,
    reference_id: event.reference.id,
    description: event.description,
    from_address: event.chain?.fromAddress ?? null,
    to_address: event.chain?.toAddress ?? null,
    tx_hash: event.chain?.txHash ?? null,
    block_number: event.chain?.blockNumber ?? null,
    confirmations: event.chain?.confirmations ?? 0,
    gas_used: event.chain?.gasUsed ?? null,
    gas_price: event.chain?.gasPrice ?? null,
    strategy_id: event.strategy?.id ?? null,
    strategy_name: event.strategy?.name ?? null,
    created_at: at,
    submitted_at: event.chain?.submitted ? at : null,
    completed_at: status === 'completed' ? at : null,
    timeline: [{ status, timestamp: at, description: event.news }],
  };
}

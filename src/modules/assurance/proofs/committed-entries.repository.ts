import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { findOldestXid, takeHorizonSql, type CommitHorizon } from '../../../events/commit-horizons.js';
import { prepared } from '../../../database/prepared.js';
import { PLATFORM } from '../../core/ledger/domain/chart-of-accounts.js';
import { NONCE_BYTES } from './domain/sum-tree.js';
import { SEALED_ENTRY_ID } from './log.repository.js';
import type { PostingsOfRecord, SealableTransaction, UnsealedTransactions } from './proofs.types.js';

// A posting inserts its row of `ledger_transaction` first: its database transaction has an id before its entries take numbers.
// `survivesCrash`, because the process keeps its `WaitingHorizons` when a crash of the database server ends its connection.
const TAKE_HORIZON = takeHorizonSql('ledger_entry_id_seq', `is_called and last_value > ${SEALED_ENTRY_ID}`, {
  survivesCrash: true,
});

/** An amount in the text of a leaf: at least two decimals, no zero at the end after the second. */
export const leafAmountSql = (amount: string): string =>
  `case when scale(trim_scale(${amount})) < 2 then round(${amount}, 2) else trim_scale(${amount}) end`;

/**
 * An entry in the text of a leaf, as `transactionLeafText` writes it, from the rows `entry` and `account`. PostgreSQL writes
 * and hashes texts in a fraction of the time that reading the rows takes.
 */
export const LEAF_ENTRY_SQL = `format('{"account":%s,"amount":"%s","asset":%s}',
  to_json(concat_ws('/', account.kind, nullif(account.scope, ''), nullif(account.owner_id, '${PLATFORM}'))),
  ${leafAmountSql('entry.amount')},
  to_json(entry.asset))`;

export const LEAF_ENTRIES_SQL = `string_agg(${LEAF_ENTRY_SQL}, ',' order by entry.id)`;

/** The text of a transaction's leaf from the row `posted`. `entries` and `nonce` are SQL expressions. */
export function leafTextSql({ entries, nonce }: { entries: string; nonce: string }): string {
  return `format('{"effectiveAt":"%s","entries":[%s],"id":"%s","kind":"transaction","nonce":"%s","reference":{"id":%s,"type":%s},"type":%s,"v":1}',
  to_char(posted.effective_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), ${entries}, posted.id,
  encode(${nonce}, 'base64'), to_json(posted.reference_id), to_json(posted.reference_type), to_json(posted.type))`;
}

/** The hash of a leaf by RFC 9162. */
export function leafHashSql(text: string): string {
  return `sha256('\\x00'::bytea || convert_to(${text}, 'UTF8'))`;
}

// Reads tables of the module ledger. $1 and $2: the range of ids of entries, above $1 up to $2. A transaction belongs to the range that contains
// its first entry. $3: the concatenated nonces.
const NONCE = `substr($3::bytea, ((place - 1) * ${NONCE_BYTES} + 1)::int, ${NONCE_BYTES})`;
// Lateral subqueries, because PostgreSQL plans joins as scans of the whole ledger while the ledger is small. `offset 0` keeps
// the second subquery from becoming a join.
const FIND_UNSEALED = prepared(`
  with candidate as materialized (
    select distinct transaction_id as id from ledger_entry where id > $1 and id <= $2
  ), unsealed as (
    select posted.*, entries, row_number() over (order by first_entry) as place
      from candidate
     cross join lateral (select min(entry.id) as first_entry, ${LEAF_ENTRIES_SQL} as entries
                           from ledger_entry as entry join ledger_account as account on account.id = entry.account_id
                          where entry.transaction_id = candidate.id) as texts
     cross join lateral (select * from ledger_transaction where id = candidate.id offset 0) as posted
     where first_entry > $1
  )
  select array_agg(id order by place)::text as ids,
         string_agg(${leafHashSql(leafTextSql({ entries: 'entries', nonce: NONCE }))}, '' order by place) as hashes
    from unsealed as posted`);

// Reads tables of the module ledger.
const FIND_TRANSACTIONS_BY_ID = prepared(`
  select posted.id, posted.type, posted.reference_type as "referenceType", posted.reference_id as "referenceId",
         posted.effective_at as "effectiveAt",
         json_agg(json_build_object(
           'kind', account.kind, 'scope', account.scope, 'owner', nullif(account.owner_id, '${PLATFORM}'),
           'asset', entry.asset, 'amount', trim_scale(entry.amount)::text) order by entry.id) as entries
    from ledger_transaction as posted
    join ledger_entry as entry on entry.transaction_id = posted.id
    join ledger_account as account on account.id = entry.account_id
   where posted.id = any($1)
   group by posted.id`);

/** Reads ledger transactions for the log: those that are not sealed yet, and those whose leaves are computed or proven. */
@Injectable()
export class CommittedEntriesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Takes a commit horizon of the ids of entries. Undefined if no entry was written since the last sealing. */
  async takeHorizon(): Promise<CommitHorizon | undefined> {
    const [horizon] = await this.dataSource.query<CommitHorizon[]>(TAKE_HORIZON);
    return horizon;
  }

  /** The id below which every database transaction has ended, for `WaitingHorizons.removeReached`. */
  getOldestXid(): Promise<string> {
    return findOldestXid(this.dataSource);
  }

  /**
   * The transactions whose first entry has an id above `after` and up to `upTo`, in the order of these ids, and the hashes of
   * their leaves. `nonces` has at least one nonce for each of them.
   */
  async findUnsealed(after: number, upTo: number, nonces: Buffer): Promise<UnsealedTransactions> {
    const [unsealed] = await this.dataSource.query<[UnsealedTransactions]>(FIND_UNSEALED, [
      after,
      upTo,
      nonces,
    ]);
    return unsealed;
  }

  /** The ids of the postings of one record, by the type and reference that identify them. */
  async findPostedIds({ types, reference }: PostingsOfRecord): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      prepared(
        `select id from ledger_transaction where type = any($1) and reference_type = $2 and reference_id = $3`,
      ),
      [types, reference.type, reference.id],
    );
    return rows.map(({ id }) => id);
  }

  /** In an unspecified order. Ids without a transaction are left out. */
  findTransactionsById(ids: readonly string[]): Promise<SealableTransaction[]> {
    return this.dataSource.query(FIND_TRANSACTIONS_BY_ID, [ids]);
  }
}

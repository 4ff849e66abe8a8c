import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import {
  type CommittedCuts,
  COMPLETE_UP_TO_SQL,
  type Cut,
  OLDEST_XID_SQL,
  takeCutSql,
} from '../../database/committed-cuts.js';
import { prepared } from '../../database/prepared.js';
import { PLATFORM } from '../ledger/domain/chart-of-accounts.js';
import type { PostingsOfRecord } from './domain/record-postings.js';
import type { SealableTransaction } from './proofs.types.js';

// A posting inserts its transaction before its entries draw their ids, so it has a transaction id by then.
const TAKE_CUT = takeCutSql(
  'ledger_entry_id_seq',
  'is_called and last_value > (select sealed_entry_id from proof_log)',
);

// Tables: ledger.
const TRANSACTION = `
  select posted.id, posted.type, posted.reference_type as "referenceType", posted.reference_id as "referenceId",
         posted.effective_at as "effectiveAt",
         json_agg(json_build_object(
           'kind', account.kind, 'scope', account.scope, 'owner', nullif(account.owner_id, '${PLATFORM}'),
           'asset', entry.asset, 'amount', trim_scale(entry.amount)::text) order by entry.id) as entries`;
const ENTRIES = `
    join ledger_entry as entry on entry.transaction_id = posted.id
    join ledger_account as account on account.id = entry.account_id`;

// $1 and $2: ids of entries. A transaction belongs to the range in which its first entry is.
const FIND_TRANSACTIONS = prepared(`
  with candidate as materialized (
    select distinct transaction_id as id from ledger_entry where id > $1 and id <= $2
  )
  ${TRANSACTION} from candidate join ledger_transaction as posted using (id) ${ENTRIES}
   group by posted.id
  having min(entry.id) > $1
   order by min(entry.id)`);

const FIND_TRANSACTIONS_BY_ID = prepared(`
  ${TRANSACTION} from ledger_transaction as posted ${ENTRIES}
   where posted.id = any($1)
   group by posted.id`);

export interface CompleteEntries {
  /** Null while no cut is complete. */
  readonly upTo: number | null;
  readonly oldestXid: string;
}

/** Reads the ledger in the order of the ids of entries, below the oldest transaction that is writing. */
@Injectable()
export class CommittedEntriesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Undefined if no entry was written since the last sealing. */
  async takeCut(): Promise<Cut | undefined> {
    const [cut] = await this.dataSource.query<Cut[]>(TAKE_CUT);
    return cut;
  }

  async findCompleteEntries(cuts: CommittedCuts): Promise<CompleteEntries> {
    const [complete] = await this.dataSource.query<[CompleteEntries]>(
      `select ${COMPLETE_UP_TO_SQL}::float8 as "upTo", ${OLDEST_XID_SQL} as "oldestXid"`,
      cuts.parameters,
    );
    return complete;
  }

  /** The transactions whose first entry has an id above `after` and up to `upTo`, in the order of these ids. */
  findTransactions(after: number, upTo: number): Promise<SealableTransaction[]> {
    return this.dataSource.query(FIND_TRANSACTIONS, [after, upTo]);
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

  /** In no order. */
  findTransactionsById(ids: readonly string[]): Promise<SealableTransaction[]> {
    return this.dataSource.query(FIND_TRANSACTIONS_BY_ID, [ids]);
  }
}

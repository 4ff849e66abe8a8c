import { Injectable } from '@nestjs/common';
import { addDays, type Day } from '../../common/days.js';
import type { Snapshot } from '../../database/snapshots.js';
import type { ListedAuditEntry } from '../audit/audit.repository.js';
import { PLATFORM } from '../ledger/domain/chart-of-accounts.js';
import type {
  AccountBalances,
  MonthlyBalance,
  PackAssets,
  PackCheckpoint,
  PackLog,
  PackNav,
  PackRange,
  SealedTransaction,
  TextLeaf,
} from './audit-pack.types.js';

/** Rows that are in memory at once. A transaction has about four entries. */
const BATCH_ROWS = 1000;
/** Of 256 hashes each. */
const BATCH_TILES = 64;

const OWNER = `nullif(account.owner_id, '${PLATFORM}')`;
const ACCOUNT_ORDER = 'kind collate "C", scope collate "C", owner nulls first, asset collate "C"';
// $1: the first day of the range, $2: the day after the last. Only what is in the log.
const SEALED_ENTRIES = `ledger_entry as entry join proof_leaf using (transaction_id) where entry.effective_at < $2::timestamptz`;

// The entries are read after sorting, so that only the transactions are sorted.
const TRANSACTIONS = `
  select leaf_index::float8 as "leafIndex", nonce, id, type, reference_type as "referenceType",
         reference_id as "referenceId", effective_at as "effectiveAt",
         (select json_agg(json_build_object('kind', account.kind, 'scope', account.scope, 'owner', ${OWNER},
                   'asset', entry.asset, 'amount', trim_scale(entry.amount)::text) order by entry.id)
            from ledger_entry as entry join ledger_account as account on account.id = entry.account_id
           where entry.transaction_id = sealed.id) as entries
    from (select leaf.leaf_index, leaf.nonce, posted.id, posted.type, posted.reference_type, posted.reference_id,
                 posted.effective_at
            from proof_leaf as leaf join ledger_transaction as posted on posted.id = leaf.transaction_id
           where posted.effective_at >= $1::timestamptz and posted.effective_at < $2::timestamptz
           order by (posted.effective_at at time zone 'UTC')::date, leaf.leaf_index
          offset 0) as sealed`;

const ACCOUNTS = `
  select kind, scope, ${OWNER} as owner, account.asset, trim_scale(opening)::text as opening, trim_scale(closing)::text as closing
    from (select account_id, coalesce(sum(amount) filter (where entry.effective_at < $1::timestamptz), 0) as opening,
                 sum(amount) as closing
            from ${SEALED_ENTRIES}
           group by account_id) as total
    join ledger_account as account on account.id = account_id
   order by ${ACCOUNT_ORDER}`;

const MONTHLY_BALANCES = `
  select month::text as month, kind, scope, ${OWNER} as owner, account.asset, trim_scale(total.balance)::text as balance
    from (select account_id, month, sum(moved) over (partition by account_id order by month nulls first) as balance
            from (select account_id, sum(amount) as moved,
                         case when entry.effective_at >= $1::timestamptz
                              then date_trunc('month', entry.effective_at at time zone 'UTC')::date end as month
                    from ${SEALED_ENTRIES}
                   group by account_id, 3) as moves) as total
    join ledger_account as account on account.id = account_id
   where month is not null
   order by month, ${ACCOUNT_ORDER}`;

const NAVS = `
  select strategy_id as "strategyId", day, trim_scale(nav)::text as nav, trim_scale(apy)::text as apy,
         trim_scale(correction)::text as correction, source
    from strategy_nav where day between $1::date - 1 and $2::date order by strategy_id collate "C", day`;

const CHECKPOINTS = `
  select size::float8 as size, root, at, note from proof_checkpoint
   where (at >= $1::timestamptz and at < $2::timestamptz) or size = (select size from proof_log)
   order by proof_checkpoint.size`;

const TEXT_LEAVES = `
  select leaf_index::float8 as "leafIndex", text from proof_leaf
   where text is not null and (text::json ->> 'day')::date between $1::date and $2::date
   order by leaf_index`;

const ASSETS = `
  select day, lines,
         (select json_agg(json_build_object('asset', asset, 'total', trim_scale(total)::text))
            from liability_tree where liability_tree.day = closed.day) as owed
    from liability_day as closed where day between $1::date and $2::date order by day`;

const AUDIT_ENTRIES = `
  select id, at, actor, action, subject_type as "subjectType", subject_id as "subjectId", reason, before, after,
         trace_id as "traceId"
    from audit_entry where at >= $1::timestamptz and at < $2::timestamptz order by at, id`;

/** Reads the contents of a pack, all from one snapshot. Its tables belong to proofs, liabilities, ledger, strategies and audit. */
@Injectable()
export class AuditPackRepository {
  /** Undefined before the log is opened. */
  async findLog(snapshot: Snapshot): Promise<PackLog | undefined> {
    const [log] = await snapshot.query<Omit<PackLog, 'publicKeys'>>(
      'select origin, size::float8 as size, root from proof_log join proof_checkpoint using (size)',
      [],
    );
    const keys = await snapshot.query<{ publicKey: Buffer }>(
      'select public_key as "publicKey" from proof_key order by used_since desc, public_key',
      [],
    );
    return log ? { ...log, publicKeys: keys.map(({ publicKey }) => publicKey) } : undefined;
  }

  /** By the day of their effect, and by leaf index within a day. */
  streamTransactions(snapshot: Snapshot, range: PackRange): AsyncGenerator<SealedTransaction[], void> {
    return snapshot.batches<SealedTransaction>(TRANSACTIONS, instantsOf(range), BATCH_ROWS);
  }

  streamAccounts(snapshot: Snapshot, range: PackRange): AsyncGenerator<AccountBalances[], void> {
    return snapshot.batches<AccountBalances>(ACCOUNTS, instantsOf(range), BATCH_ROWS);
  }

  /** Month by month. Each month has the accounts that changed in it. */
  streamMonthlyBalances(snapshot: Snapshot, range: PackRange): AsyncGenerator<MonthlyBalance[], void> {
    return snapshot.batches<MonthlyBalance>(MONTHLY_BALANCES, instantsOf(range), BATCH_ROWS);
  }

  /** Begins with the values of the day before the range, from which those of the first day follow. */
  streamNavs(snapshot: Snapshot, { from, to }: PackRange): AsyncGenerator<PackNav[], void> {
    return snapshot.batches<PackNav>(NAVS, [from, to], BATCH_ROWS);
  }

  /** Those of the range, and the newest one. */
  streamCheckpoints(snapshot: Snapshot, range: PackRange): AsyncGenerator<PackCheckpoint[], void> {
    return snapshot.batches<PackCheckpoint>(CHECKPOINTS, instantsOf(range), BATCH_ROWS);
  }

  /** The leaves of days: their texts are stored. */
  streamTextLeaves(snapshot: Snapshot, { from, to }: PackRange): AsyncGenerator<TextLeaf[], void> {
    return snapshot.batches<TextLeaf>(TEXT_LEAVES, [from, to], BATCH_ROWS);
  }

  /** The days of the range that were closed. */
  streamAssets(snapshot: Snapshot, { from, to }: PackRange): AsyncGenerator<PackAssets[], void> {
    return snapshot.batches<PackAssets>(ASSETS, [from, to], BATCH_ROWS);
  }

  streamAuditEntries(snapshot: Snapshot, range: PackRange): AsyncGenerator<ListedAuditEntry[], void> {
    return snapshot.batches<ListedAuditEntry>(AUDIT_ENTRIES, instantsOf(range), BATCH_ROWS);
  }

  /** The hashes of all leaves, in their order. */
  streamLeafHashes(snapshot: Snapshot): AsyncGenerator<{ hashes: Buffer }[], void> {
    return snapshot.batches<{ hashes: Buffer }>(
      'select hashes from proof_tile where level = 0 order by n',
      [],
      BATCH_TILES,
    );
  }
}

/** The first instant of the range and the first one after it. */
function instantsOf({ from, to }: PackRange): [string, string] {
  return [midnight(from), midnight(addDays(to, 1))];
}

function midnight(day: Day): string {
  return `${day}T00:00:00Z`;
}

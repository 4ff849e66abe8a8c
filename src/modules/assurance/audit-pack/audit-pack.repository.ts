import { Injectable } from '@nestjs/common';
import { addDays, startOfDay } from '../../../common/days.js';
import type { Snapshot } from '../../../database/snapshots.js';
import type { DayRange } from '../../../http/request/date-range.js';
import type { ListedAuditEntry } from '../../core/audit/audit.repository.js';
import { PLATFORM } from '../../core/ledger/domain/chart-of-accounts.js';
import {
  leafAmountSql,
  LEAF_ENTRIES_SQL,
  LEAF_ENTRY_SQL,
  leafTextSql,
} from '../proofs/committed-entries.repository.js';
import type {
  AccountBalances,
  JournalTransactionText,
  MonthlyBalance,
  OtherLeaves,
  PackAssets,
  PackLog,
  PackNav,
  TextLeaf,
} from './audit-pack.types.js';
import type { SignedCheckpoint } from '../proofs/proofs.types.js';
import { JOURNAL_GROUPS } from './domain/pack-journal.js';

/** Rows that one statement fetches. The row of a transaction contains about four entries. */
const BATCH_ROWS = 1000;
/** Tiles that one statement fetches, with up to 256 hashes each. */
const BATCH_TILES = 64;

const OWNER = `nullif(account.owner_id, '${PLATFORM}')`;
const ACCOUNT_ORDER = 'kind collate "C", scope collate "C", owner nulls first, asset collate "C"';

// Parameters of type timestamptz: $1 the start of the first day of the range, $2 the start of the day after the last one.
// Parameters of type date: the first and the last day, as $1 and $2, or as $3 and $4 after the two instants.

/** For use after `from`: the entries before $2 of transactions that are in the log. */
const SEALED_ENTRIES = `ledger_entry as entry join proof_leaf using (transaction_id) where entry.effective_at < $2::timestamptz`;

/** The transactions of the range that are in the log. */
const SEALED_TRANSACTIONS = `
  select leaf.leaf_index, leaf.nonce, posted.id, posted.type, posted.reference_type, posted.reference_id,
         posted.effective_at, (posted.effective_at at time zone 'UTC')::date as day
    from proof_leaf as leaf join ledger_transaction as posted on posted.id = leaf.transaction_id
   where posted.effective_at >= $1::timestamptz and posted.effective_at < $2::timestamptz`;

// `offset 0` keeps PostgreSQL from flattening the subquery: it sorts the transactions alone and reads the entries afterwards.
const sortedTransactions = (columns: string, entries: string) => `
  select ${columns}
    from (${SEALED_TRANSACTIONS} order by day, leaf.leaf_index offset 0) as posted
   cross join lateral (select ${entries} as entries
                         from ledger_entry as entry join ledger_account as account on account.id = entry.account_id
                        where entry.transaction_id = posted.id) as texts`;

// PostgreSQL composes the texts, which takes a fraction of the time of fetching all rows and composing them in Node.
const lineOf = (entries: string) =>
  `format('{"leaf":%s,"leafIndex":%s}', ${leafTextSql({ entries, nonce: 'nonce' })}, leaf_index)`;
const TRANSACTION_LINES = sortedTransactions(`${lineOf('entries')} as line`, LEAF_ENTRIES_SQL);

// The text of `journalText`, which replaces the same characters. Amounts have the form of `leafAmount` and the opposite sign:
// journals count debits as positive.
const withoutSpecialCharacters = (text: string) =>
  `regexp_replace(${text}, '[;|\\u0001-\\u001f\\u007f-\\u009f]+', ' ', 'g')`;
const journalOf = (
  entries: string,
) => `format(E'%s * (%s) %s\\n    ; %s\\n%s\\n', day, leaf_index, ${withoutSpecialCharacters('type')},
  ${withoutSpecialCharacters(`format('transaction %s of %s %s', id, reference_type, reference_id)`)}, ${entries})`;
const JOURNAL_LINE = `format(E'    %s:%s  %s %s\\n',
  case account.kind ${Object.entries(JOURNAL_GROUPS)
    .map(([kind, group]) => `when '${kind}' then '${group}'`)
    .join(' ')} end,
  replace(concat_ws(':', account.kind, nullif(account.scope, ''), nullif(account.owner_id, '${PLATFORM}')), '/', ':'),
  ${leafAmountSql('-entry.amount')},
  case when entry.asset ~ '^[A-Za-z]+$' then entry.asset else '"' || entry.asset || '"' end)`;
const JOURNAL_TRANSACTIONS = sortedTransactions(
  `day::text as day, ${journalOf('entries')} as text`,
  `string_agg(${JOURNAL_LINE}, '' order by entry.id)`,
);

// The sizes of the same texts in bytes, computed without sorting and with parallel workers. In `lines` each entry adds one
// byte, for the comma behind it or, if it is the last of its transaction, for the line feed that ends the line. A transaction
// whose entries were deleted although triggers forbid it adds the line feed alone.
const TEXT_BYTES = `
  select (transactions.lines + entries.lines)::float8 as lines, (transactions.journal + entries.journal)::float8 as journal
    from (select coalesce(sum(octet_length(${lineOf(`''`)})), 0) as lines,
                 coalesce(sum(octet_length(${journalOf(`''`)})), 0) as journal
            from (${SEALED_TRANSACTIONS}) as posted) as transactions,
         (select coalesce(sum(case when entry.id is null then 0 else octet_length(${LEAF_ENTRY_SQL}) end + 1), 0) as lines,
                 coalesce(sum(case when entry.id is null then 0 else octet_length(${JOURNAL_LINE}) end), 0) as journal
            from (${SEALED_TRANSACTIONS}) as posted
            left join ledger_entry as entry on entry.transaction_id = posted.id
            left join ledger_account as account on account.id = entry.account_id) as entries`;

const ACCOUNTS = `
  select kind, scope, ${OWNER} as owner, account.asset, trim_scale(opening)::text as opening, trim_scale(closing)::text as closing
    from (select account_id, coalesce(sum(amount) filter (where entry.effective_at < $1::timestamptz), 0) as opening,
                 sum(amount) as closing
            from ${SEALED_ENTRIES}
           group by account_id) as total
    join ledger_account as account on account.id = account_id
   order by ${ACCOUNT_ORDER}`;

// In `changes` a row whose month is null is the sum of an account's entries before the range.
const MONTHLY_BALANCES = `
  select month::text as month, kind, scope, ${OWNER} as owner, account.asset, trim_scale(total.balance)::text as balance
    from (select account_id, month, sum(changed) over (partition by account_id order by month nulls first) as balance
            from (select account_id, sum(amount) as changed,
                         case when entry.effective_at >= $1::timestamptz
                              then date_trunc('month', entry.effective_at at time zone 'UTC')::date end as month
                    from ${SEALED_ENTRIES}
                   group by account_id, 3) as changes) as total
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

// Consecutive transactions with equal `days` have the same difference between index and row number.
const OTHER_LEAVES = `
  select min(leaf_index)::float8 as first, max(leaf_index)::float8 as last, nullif(days, 'removed') as days, null as text
    from (select leaf_index, days, leaf_index - row_number() over (partition by days order by leaf_index) as run
            from (select leaf_index, case when posted.id is null then 'removed'
                                          when effective_at < $1::timestamptz then 'before'
                                          when effective_at >= $2::timestamptz then 'after' end as days
                    from proof_leaf left join ledger_transaction as posted on posted.id = transaction_id
                   where text is null and leaf_index < (select size from proof_log)) as leaf
           where days is not null) as other_leaf
   group by days, run
   union all
  select leaf_index::float8, leaf_index::float8, null, text from proof_leaf
   where text is not null and (text::json ->> 'day')::date not between $3::date and $4::date
   order by 1`;

const ASSETS = `
  select day, lines,
         (select json_agg(json_build_object('asset', asset, 'total', trim_scale(total)::text))
            from liability_tree where liability_tree.day = closed.day) as owed
    from liability_day as closed where day between $1::date and $2::date order by day`;

const AUDIT_ENTRIES = `
  select id, at, actor, action, subject_type as "subjectType", subject_id as "subjectId", reason, before, after,
         trace_id as "traceId"
    from audit_entry where at >= $1::timestamptz and at < $2::timestamptz order by at, id`;

/** Reads the contents of a pack from tables of the modules proofs, liabilities, ledger, strategies and audit. */
@Injectable()
export class AuditPackRepository {
  /** The log, or undefined before it is opened. */
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

  /** The sizes in bytes of the texts of `streamTransactionLines`, with line feeds, and of `streamJournal`. */
  async getTextBytes(snapshot: Snapshot, range: DayRange): Promise<{ lines: number; journal: number }> {
    const [bytes] = await snapshot.query<{ lines: number; journal: number }>(TEXT_BYTES, instantsOf(range));
    return bytes as { lines: number; journal: number };
  }

  /** The sealed transactions with their leaf indexes as canonical JSON, in the order of days and leaf indexes. */
  streamTransactionLines(snapshot: Snapshot, range: DayRange): AsyncGenerator<{ line: string }[], void> {
    return snapshot.batches<{ line: string }>(TRANSACTION_LINES, instantsOf(range), BATCH_ROWS);
  }

  /** The texts of the same transactions for the journal, in the same order. */
  streamJournal(snapshot: Snapshot, range: DayRange): AsyncGenerator<JournalTransactionText[], void> {
    return snapshot.batches<JournalTransactionText>(JOURNAL_TRANSACTIONS, instantsOf(range), BATCH_ROWS);
  }

  streamAccounts(snapshot: Snapshot, range: DayRange): AsyncGenerator<AccountBalances[], void> {
    return snapshot.batches<AccountBalances>(ACCOUNTS, instantsOf(range), BATCH_ROWS);
  }

  /** The balances at the end of each month, of the accounts that changed in it. In the order of the months. */
  streamMonthlyBalances(snapshot: Snapshot, range: DayRange): AsyncGenerator<MonthlyBalance[], void> {
    return snapshot.batches<MonthlyBalance>(MONTHLY_BALANCES, instantsOf(range), BATCH_ROWS);
  }

  /**
   * The values of a unit of each strategy on the days of the range, and on the day before it, from which the value of the
   * first day follows.
   */
  streamNavs(snapshot: Snapshot, { from, to }: DayRange): AsyncGenerator<PackNav[], void> {
    return snapshot.batches<PackNav>(NAVS, [from, to], BATCH_ROWS);
  }

  /** The checkpoints of the range, and the newest one. */
  streamCheckpoints(snapshot: Snapshot, range: DayRange): AsyncGenerator<SignedCheckpoint[], void> {
    return snapshot.batches<SignedCheckpoint>(CHECKPOINTS, instantsOf(range), BATCH_ROWS);
  }

  /** The leaves of the liabilities of the days of the range. */
  streamTextLeaves(snapshot: Snapshot, { from, to }: DayRange): AsyncGenerator<TextLeaf[], void> {
    return snapshot.batches<TextLeaf>(TEXT_LEAVES, [from, to], BATCH_ROWS);
  }

  /** The leaves of days before and after the range, and those whose transactions no longer exist. */
  streamOtherLeaves(snapshot: Snapshot, range: DayRange): AsyncGenerator<OtherLeaves[], void> {
    const { from, to } = range;
    return snapshot.batches<OtherLeaves>(OTHER_LEAVES, [...instantsOf(range), from, to], BATCH_ROWS);
  }

  /** The assets and liabilities of the closed days of the range. */
  streamAssets(snapshot: Snapshot, { from, to }: DayRange): AsyncGenerator<PackAssets[], void> {
    return snapshot.batches<PackAssets>(ASSETS, [from, to], BATCH_ROWS);
  }

  streamAuditEntries(snapshot: Snapshot, range: DayRange): AsyncGenerator<ListedAuditEntry[], void> {
    return snapshot.batches<ListedAuditEntry>(AUDIT_ENTRIES, instantsOf(range), BATCH_ROWS);
  }

  /** The hashes of all leaves, in the order of the leaves. */
  streamLeafHashes(snapshot: Snapshot): AsyncGenerator<{ hashes: Buffer }[], void> {
    return snapshot.batches<{ hashes: Buffer }>(
      'select hashes from proof_tile where level = 0 order by n',
      [],
      BATCH_TILES,
    );
  }
}

/** The first instant of the range and the first one after it. */
function instantsOf({ from, to }: DayRange): [Date, Date] {
  return [startOfDay(from), startOfDay(addDays(to, 1))];
}

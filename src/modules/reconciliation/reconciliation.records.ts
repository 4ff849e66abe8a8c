import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import type { Tx } from '../../database/unit-of-work.js';
import type { DayRange } from '../../http/request/date-range.js';
import { fail } from '../../common/errors/domain-error.js';
import { newId } from '../../common/ids.js';
import type { Money } from '../../common/money.js';
import type { BreakStatus } from './domain/break.state-machine.js';
import type { Compared, Outcome } from './comparison.js';
import type { Direction, Format, Source } from './statement-line.js';

/** What is moved in one direction and currency, by either side. */
export interface Sum {
  readonly currency: string;
  readonly direction: Direction;
  readonly there: Money;
  readonly here: Money;
}

export interface NewReconciliation {
  readonly id: string;
  readonly source: Source;
  readonly format: Format;
  readonly range: DayRange;
  readonly by: string;
  readonly at: Date;
  readonly unreadable: number;
  readonly chainUnread: number;
  readonly lines: number;
  readonly counts: Readonly<Record<Outcome, number>>;
  readonly sums: readonly Sum[];
  /** Ids of the alerts that are open. */
  readonly alerts: readonly string[];
}

/** What is said of a break, beside its status. */
export interface BreakFacts {
  readonly owner: string | null;
  readonly resolution: string | null;
  readonly note: string | null;
  readonly proposedBy: string | null;
  readonly proposedAt: Date | null;
  readonly resolvedBy: string | null;
  readonly resolvedAt: Date | null;
}

/** A break, locked. */
export interface LockedBreak extends BreakFacts {
  readonly status: BreakStatus;
}

const BATCH = 5_000; // lines of one statement, so that none runs long and memory stays flat

const COLUMNS = [
  ['id', 'uuid'],
  ['position', 'integer'],
  ['outcome', 'text'],
  ['differs', 'text[]'],
  ['direction', 'text'],
  ['currency', 'text'],
  ['line', 'integer'],
  ['duplicate_of', 'integer'],
  ['there_reference', 'text'],
  ['there_tx_hash', 'text'],
  ['there_network', 'text'],
  ['there_amount', 'numeric'],
  ['there_status', 'text'],
  ['there_at', 'timestamptz'],
  ['here_type', 'text'],
  ['here_ids', 'text[]'],
  ['here_tx_hash', 'text'],
  ['here_network', 'text'],
  ['here_amount', 'numeric'],
  ['here_status', 'text'],
  ['here_at', 'timestamptz'],
  ['difference', 'numeric'],
  ['dust', 'numeric'],
  ['chain_verdict', 'text'],
  ['chain_amount', 'numeric'],
  ['status', 'text'],
] as const;

const NAMES = COLUMNS.map(([name]) => name).join(', ');
const INSERT_LINES = `
  insert into reconciliation_line (reconciliation_id, ${NAMES})
  select $1, ${NAMES} from jsonb_to_recordset($2::jsonb) as given(${COLUMNS.map((column) => column.join(' ')).join(', ')})`;

type StoredLine = Readonly<Record<(typeof COLUMNS)[number][0], unknown>>;

/** The rows of reconciliations: everything that locks or writes them is here. */
@Injectable()
export class ReconciliationRecords {
  /** Throws RECONCILIATION_EXISTS when the same statement had the same outcome before. */
  async add(tx: Tx, made: NewReconciliation, compared: readonly Compared[]): Promise<void> {
    const rows = compared.map(stored);
    const fingerprint = fingerprintOf(made, rows);
    await this.addHead(tx, made, fingerprint);
    for (let from = 0; from < rows.length; from += BATCH) {
      const batch = rows.slice(from, from + BATCH).map((row) => ({ ...row, id: newId() }));
      await tx.query(INSERT_LINES, [made.id, JSON.stringify(batch)]);
    }
  }

  /** Locks a break for the rest of the transaction. Throws RECONCILIATION_BREAK_NOT_FOUND. */
  async lockBreak(tx: Tx, id: string): Promise<LockedBreak> {
    const [row] = await tx.query<LockedBreak[]>(
      `select status, owner, resolution, note, proposed_by as "proposedBy", proposed_at as "proposedAt",
              resolved_by as "resolvedBy", resolved_at as "resolvedAt"
         from reconciliation_line where id = $1 and status is not null for update`,
      [id],
    );
    return row ?? fail('RECONCILIATION_BREAK_NOT_FOUND');
  }

  /** Moves a locked break on: the one place that writes its status. */
  async moveBreak(tx: Tx, id: string, to: BreakStatus, facts: BreakFacts): Promise<void> {
    await tx.query(
      `update reconciliation_line
          set status = $2, owner = $3, resolution = $4, note = $5, proposed_by = $6, proposed_at = $7,
              resolved_by = $8, resolved_at = $9
        where id = $1`,
      [
        id,
        to,
        facts.owner,
        facts.resolution,
        facts.note,
        facts.proposedBy,
        facts.proposedAt,
        facts.resolvedBy,
        facts.resolvedAt,
      ],
    );
  }

  private async addHead(tx: Tx, made: NewReconciliation, fingerprint: string): Promise<void> {
    const { counts, range } = made;
    const sums = made.sums.map(({ there, here, ...of }) => ({
      ...of,
      there: there.toString(),
      here: here.toString(),
    }));
    const added = await tx.query<unknown[]>(
      `insert into reconciliation (id, source, format, first_day, last_day, fingerprint, made_by, made_at, lines,
                                   matched, missing_here, missing_there, differing, unreadable, chain_unread, sums)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
       on conflict (fingerprint) do nothing returning id`,
      [
        made.id,
        made.source,
        made.format,
        range.from,
        range.to,
        fingerprint,
        made.by,
        made.at,
        made.lines,
        counts.matched,
        counts['missing-here'],
        counts['missing-there'],
        counts.differing,
        made.unreadable,
        made.chainUnread,
        JSON.stringify(sums),
      ],
    );
    if (added.length > 0) return;
    const [earlier] = await tx.query<{ id: string }[]>(
      'select id from reconciliation where fingerprint = $1',
      [fingerprint],
    );
    fail('RECONCILIATION_EXISTS', { reconciliationId: earlier?.id });
  }
}

function stored(compared: Compared, index: number): Omit<StoredLine, 'id'> {
  const { there, here } = compared;
  return {
    position: index + 1,
    outcome: compared.outcome,
    differs: compared.differs,
    direction: compared.direction,
    currency: compared.currency,
    line: there?.line ?? null,
    duplicate_of: compared.duplicateOf,
    there_reference: there?.reference ?? null,
    there_tx_hash: there?.txHash ?? null,
    there_network: there?.network ?? null,
    there_amount: there?.amount.toString() ?? null,
    there_status: there?.status ?? null,
    there_at: there?.at ?? null,
    here_type: here?.type ?? null,
    here_ids: here?.ids ?? null,
    here_tx_hash: here?.txHash ?? null,
    here_network: here?.network ?? null,
    here_amount: here?.amount.toString() ?? null,
    here_status: here?.status ?? null,
    here_at: here?.at ?? null,
    difference: compared.difference.toString(),
    dust: compared.dust.toString(),
    chain_verdict: compared.chainVerdict,
    chain_amount: compared.chainAmount?.toString() ?? null,
    status: compared.outcome === 'matched' ? null : 'open',
  };
}

/** The same when the same was stated of the same days, came to the same, and the same alerts were open. */
function fingerprintOf(
  { source, range, unreadable, alerts }: NewReconciliation,
  rows: readonly object[],
): string {
  const hash = createHash('sha256').update(
    JSON.stringify([source, range.from, range.to, unreadable, ...alerts]),
  );
  for (const row of rows) hash.update(JSON.stringify(row));
  return hash.digest('hex');
}

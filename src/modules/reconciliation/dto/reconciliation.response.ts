import {
  Choice,
  Count,
  DayText,
  ExactAmount,
  Instant,
  ListOf,
  Nested,
  Text,
  TextList,
  Uuid,
} from '../../../http/openapi/fields.js';
import { AlertResponse } from '../../alerts/dto/alert.response.js';
import { toAlertResponse } from '../../alerts/alerts.mapper.js';
import { BREAK_STATUSES, RESOLUTIONS } from '../domain/break.state-machine.js';
import { CHAIN_VERDICTS, OUTCOMES } from '../comparison.js';
import { RECORD_TYPES } from '../our-records.queries.js';
import type { Reconciliation, ReconciliationLine } from '../reconciliations.queries.js';
import { DIRECTIONS, FORMATS, PROGRESS, SOURCES } from '../statement-line.js';

export class ReconciliationSumResponse {
  @Text({ example: 'USDC' })
  currency!: string;
  @Choice(DIRECTIONS, { description: 'as the provider sees it' })
  direction!: string;
  @ExactAmount({ description: 'settled lines of the statement, floored to what the ledger credits' })
  there!: string;
  @ExactAmount({ description: 'what the ledger has of the same and of what the statement lacks' })
  here!: string;
  @ExactAmount({ description: 'there less here; the sum of the differences of all lines' })
  difference!: string;
}

const UNRESOLVED = ['matched', 'open', 'resolved'] as const;

export class ReconciliationResponse {
  @Uuid()
  id!: string;
  @Choice(SOURCES)
  source!: string;
  @Choice(FORMATS)
  format!: string;
  @DayText()
  from!: string;
  @DayText()
  to!: string;
  @Text({ description: 'the admin who made it', example: 'admin@example.com' })
  by!: string;
  @Instant()
  at!: string;
  @Choice(UNRESOLVED, {
    description:
      'matched: there is no break and no alert; open: a break or an alert is unresolved; resolved: none is any more',
  })
  status!: string;
  @Count({ description: 'lines of the statement that were compared' })
  lines!: number;
  @Count({ description: 'lines that agree with the ledger, and with the chain where it was read' })
  matched!: number;
  @Count({ description: 'lines that nothing here stands for' })
  missingHere!: number;
  @Count({ description: 'movements of the ledger in the range that no line stands for' })
  missingThere!: number;
  @Count({ description: 'lines that say something else than the ledger or the chain' })
  differing!: number;
  @Count({ description: "items of the provider's list that make no sense, and were not compared" })
  unreadable!: number;
  @Count({ description: 'comparisons that the chain was not read for although it could tell' })
  chainUnread!: number;
  @Count({ description: 'breaks that are not resolved: open, assigned or proposed' })
  unresolved!: number;
  @ListOf(() => ReconciliationSumResponse)
  sums!: ReconciliationSumResponse[];
  @ListOf(() => AlertResponse, {
    description:
      "alerts about the provider's money that were open when it was made, whatever the days of the statement",
  })
  alerts!: AlertResponse[];
}

export class StatedSideResponse {
  @Text()
  reference!: string;
  @Text({ nullable: true })
  txHash!: string | null;
  @Text({ nullable: true, example: 'ERC20' })
  network!: string | null;
  @ExactAmount({ description: 'as stated' })
  amount!: string;
  @Choice(PROGRESS)
  status!: string;
  @Instant({ description: 'of a date alone its first instant' })
  at!: string;
}

export class BookedSideResponse {
  @Choice(RECORD_TYPES)
  type!: string;
  @TextList({ description: 'ids of the records; several where one payment stands for all of them' })
  ids!: string[];
  @Text({ nullable: true })
  txHash!: string | null;
  @Text({ nullable: true, example: 'ERC20' })
  network!: string | null;
  @ExactAmount({
    description: 'posted in the ledger, in the currency received; of what is not settled as recorded',
  })
  amount!: string;
  @Choice(PROGRESS)
  status!: string;
  @Instant({ description: 'when the ledger has it; when it was recorded while nothing is posted' })
  at!: string;
}

export class ReconciliationBreakResponse {
  @Choice(BREAK_STATUSES)
  status!: string;
  @Text({ nullable: true, example: 'admin@example.com' })
  owner!: string | null;
  @Choice(RESOLUTIONS, { nullable: true })
  resolution!: string | null;
  @Text({ nullable: true })
  note!: string | null;
  @Text({ nullable: true, example: 'admin@example.com' })
  proposedBy!: string | null;
  @Instant({ nullable: true })
  proposedAt!: string | null;
  @Text({ nullable: true, example: 'admin2@example.com' })
  resolvedBy!: string | null;
  @Instant({ nullable: true })
  resolvedAt!: string | null;
}

export class ReconciliationLineResponse {
  @Uuid({ description: 'names the break, if it is one' })
  id!: string;
  @Choice(OUTCOMES)
  outcome!: string;
  @TextList({
    description: 'of amount, status, txHash, network, ledger and chain; of differing lines only',
    example: ['amount'],
  })
  differs!: string[];
  @Choice(DIRECTIONS)
  direction!: string;
  @Text({ example: 'USDC' })
  currency!: string;
  @Count({ nullable: true, description: 'line of the CSV text, else place in the statement' })
  line!: number | null;
  @Count({ nullable: true, description: 'the earlier line that says the same' })
  duplicateOf!: number | null;
  @Nested(() => StatedSideResponse, { nullable: true, description: 'the statement; null where it lacks it' })
  there!: StatedSideResponse | null;
  @Nested(() => BookedSideResponse, { nullable: true, description: 'our books; null where they lack it' })
  here!: BookedSideResponse | null;
  @ExactAmount({ description: 'what has moved there less what has moved here; only what is settled has' })
  difference!: string;
  @ExactAmount({ description: 'part of the amount below the digits that the ledger credits' })
  dust!: string;
  @Choice(CHAIN_VERDICTS, {
    nullable: true,
    description: 'whose figure the chain shows, or why it was not read; null off the chain that we read',
  })
  chainVerdict!: string | null;
  @ExactAmount({ nullable: true, description: 'what the transaction pays of it on chain' })
  chainAmount!: string | null;
  @Nested(() => ReconciliationBreakResponse, { nullable: true, description: 'null of a line that matches' })
  break!: ReconciliationBreakResponse | null;
}

export function toReconciliationResponse(row: Reconciliation): ReconciliationResponse {
  const found = row.missingHere + row.missingThere + row.differing + row.alerts.length;
  const open = row.unresolved + row.alerts.filter(({ resolvedAt }) => resolvedAt === null).length;
  return {
    id: row.id,
    source: row.source,
    format: row.format,
    from: row.from,
    to: row.to,
    by: row.by,
    at: row.at.toISOString(),
    status: found === 0 ? 'matched' : open > 0 ? 'open' : 'resolved',
    lines: row.lines,
    matched: row.matched,
    missingHere: row.missingHere,
    missingThere: row.missingThere,
    differing: row.differing,
    unreadable: row.unreadable,
    chainUnread: row.chainUnread,
    unresolved: row.unresolved,
    sums: row.sums.map(({ currency, direction, there, here }) => ({
      currency,
      direction,
      there: there.toExact(),
      here: here.toExact(),
      difference: there.minus(here).toExact(),
    })),
    alerts: row.alerts.map(toAlertResponse),
  };
}

export function toReconciliationLineResponse(row: ReconciliationLine): ReconciliationLineResponse {
  return {
    id: row.id,
    outcome: row.outcome,
    differs: [...row.differs],
    direction: row.direction,
    currency: row.currency,
    line: row.line,
    duplicateOf: row.duplicateOf,
    there: statedSide(row),
    here: bookedSide(row),
    difference: row.difference.toExact(),
    dust: row.dust.toExact(),
    chainVerdict: row.chainVerdict,
    chainAmount: row.chainAmount?.toExact() ?? null,
    break: toBreakResponse(row),
  };
}

function statedSide(row: ReconciliationLine): StatedSideResponse | null {
  const { thereReference, thereTxHash, thereNetwork, thereAmount, thereStatus, thereAt } = row;
  if (thereReference === null || !thereAmount || !thereStatus || !thereAt) return null;
  return {
    reference: thereReference,
    txHash: thereTxHash,
    network: thereNetwork,
    amount: thereAmount.toExact(),
    status: thereStatus,
    at: thereAt.toISOString(),
  };
}

function bookedSide(row: ReconciliationLine): BookedSideResponse | null {
  const { hereType, hereIds, hereTxHash, hereNetwork, hereAmount, hereStatus, hereAt } = row;
  if (!hereType || !hereIds || !hereAmount || !hereStatus || !hereAt) return null;
  return {
    type: hereType,
    ids: [...hereIds],
    txHash: hereTxHash,
    network: hereNetwork,
    amount: hereAmount.toExact(),
    status: hereStatus,
    at: hereAt.toISOString(),
  };
}

function toBreakResponse(row: ReconciliationLine): ReconciliationBreakResponse | null {
  if (row.status === null) return null;
  return {
    status: row.status,
    owner: row.owner,
    resolution: row.resolution,
    note: row.note,
    proposedBy: row.proposedBy,
    proposedAt: row.proposedAt?.toISOString() ?? null,
    resolvedBy: row.resolvedBy,
    resolvedAt: row.resolvedAt?.toISOString() ?? null,
  };
}

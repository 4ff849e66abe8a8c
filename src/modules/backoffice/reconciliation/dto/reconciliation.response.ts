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
} from '../../../../http/openapi/fields.js';
import { AlertResponse } from '../../../core/alerts/dto/alert.response.js';
import { BREAK_STATUSES, RESOLUTIONS } from '../domain/break.state-machine.js';
import { CHAIN_VERDICTS, OUTCOMES } from '../domain/comparison.js';
import {
  BOOK_RECORD_TYPES,
  MOVEMENT_DIRECTIONS,
  MOVEMENT_STATUSES,
  STATEMENT_FORMATS,
  STATEMENT_SOURCES,
} from '../domain/movement.js';

export class ReconciliationSumResponse {
  @Text({ example: 'USDC' })
  currency!: string;
  @Choice(MOVEMENT_DIRECTIONS, { description: 'from the point of view of the provider' })
  direction!: string;
  @ExactAmount({
    description: 'settled lines of the statement, rounded down to the decimals that the ledger credits',
  })
  there!: string;
  @ExactAmount({ description: 'ledger postings of these lines and of records that the statement lacks' })
  here!: string;
  @ExactAmount({ description: 'there − here; equal to the sum of the differences of all lines' })
  difference!: string;
}

const STATUSES = ['matched', 'open', 'resolved'] as const;

export class ReconciliationResponse {
  @Uuid()
  id!: string;
  @Choice(STATEMENT_SOURCES)
  source!: string;
  @Choice(STATEMENT_FORMATS)
  format!: string;
  @DayText()
  from!: string;
  @DayText()
  to!: string;
  @Text({ description: 'the admin who created the reconciliation', example: 'admin@example.com' })
  by!: string;
  @Instant()
  at!: string;
  @Choice(STATUSES, {
    description:
      'matched: no break and no alert; open: at least one break or alert is unresolved; resolved: all are resolved',
  })
  status!: string;
  @Count({ description: 'lines of the statement that were compared' })
  lines!: number;
  @Count({ description: 'lines that agree with the ledger and, if the chain was read, with the chain' })
  matched!: number;
  @Count({ description: 'lines without a record of the platform' })
  missingHere!: number;
  @Count({ description: 'records with postings in the range that no line of the statement matches' })
  missingThere!: number;
  @Count({ description: 'lines that differ from the ledger or the chain' })
  differing!: number;
  @Count({ description: "malformed items of the provider's list, which were not compared" })
  unreadable!: number;
  @Count({ description: 'comparisons of on-chain transfers for which the chain was not read' })
  chainUnread!: number;
  @Count({ description: 'breaks that are not resolved: open, assigned or proposed' })
  unresolved!: number;
  @ListOf(() => ReconciliationSumResponse)
  sums!: ReconciliationSumResponse[];
  @ListOf(() => AlertResponse, {
    description:
      "alerts about the provider's money that were open at the time `at`, regardless of the days of the statement",
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
  @ExactAmount({ description: 'as the statement shows it' })
  amount!: string;
  @Choice(MOVEMENT_STATUSES)
  status!: string;
  @Instant({ description: 'midnight UTC if the statement has a date only' })
  at!: string;
}

export class BookedSideResponse {
  @Choice(BOOK_RECORD_TYPES)
  type!: string;
  @TextList({ description: 'ids of the records; several if one payment covers all of them' })
  ids!: string[];
  @Text({ nullable: true })
  txHash!: string | null;
  @Text({ nullable: true, example: 'ERC20' })
  network!: string | null;
  @ExactAmount({
    description:
      'the posted amount in the currency received; the recorded amount if the record is not settled',
  })
  amount!: string;
  @Choice(MOVEMENT_STATUSES)
  status!: string;
  @Instant({ description: 'time of the posting; without a posting, the time of the record' })
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
  @Uuid({ description: 'also the id of the break, if the line is one' })
  id!: string;
  @Choice(OUTCOMES)
  outcome!: string;
  @TextList({
    description: 'for differing lines: any of amount, status, txHash, network, ledger and chain',
    example: ['amount'],
  })
  differs!: string[];
  @Choice(MOVEMENT_DIRECTIONS)
  direction!: string;
  @Text({ example: 'USDC' })
  currency!: string;
  @Count({
    nullable: true,
    description: 'line number of the CSV text; otherwise the position in the statement',
  })
  line!: number | null;
  @Count({ nullable: true, description: 'number of an earlier, equal line' })
  duplicateOf!: number | null;
  @Nested(() => StatedSideResponse, {
    nullable: true,
    description: 'the statement; null if it lacks the movement',
  })
  there!: StatedSideResponse | null;
  @Nested(() => BookedSideResponse, {
    nullable: true,
    description: "the platform's records; null if they lack the movement",
  })
  here!: BookedSideResponse | null;
  @ExactAmount({
    description: 'money moved there − money moved here; only settled movements have moved money',
  })
  difference!: string;
  @ExactAmount({ description: 'part of the amount below the decimals that the ledger credits' })
  dust!: string;
  @Choice(CHAIN_VERDICTS, {
    nullable: true,
    description:
      'side whose amount the chain shows, or why it shows none; null for other chains and currencies',
  })
  chainVerdict!: string | null;
  @ExactAmount({ nullable: true, description: 'amount that the transaction on chain pays for this line' })
  chainAmount!: string | null;
  @Nested(() => ReconciliationBreakResponse, { nullable: true, description: 'null for a line that matches' })
  break!: ReconciliationBreakResponse | null;
}

import {
  EnumField,
  IntegerField,
  DayField,
  ExactAmountField,
  InstantField,
  ListField,
  NestedField,
  StringField,
  StringListField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { AlertResponse } from '../../../core/alerts/dto/alert.response.js';
import { BREAK_STATUSES, CHAIN_VERDICTS, OUTCOMES, RESOLUTIONS } from '../domain/comparison.js';
import {
  BOOK_RECORD_TYPES,
  MOVEMENT_DIRECTIONS,
  MOVEMENT_STATUSES,
  STATEMENT_FORMATS,
  STATEMENT_SOURCES,
} from '../domain/movement.js';

export class ReconciliationSumResponse {
  @StringField({ example: 'USDC' }) currency!: string;
  @EnumField(MOVEMENT_DIRECTIONS, { description: 'from the point of view of the provider' })
  direction!: string;
  @ExactAmountField({
    description: 'settled lines of the statement, rounded down to the decimals that the ledger credits',
  })
  there!: string;
  @ExactAmountField({ description: 'ledger postings of these lines and of records that the statement lacks' })
  here!: string;
  @ExactAmountField({ description: 'there − here; equal to the sum of the differences of all lines' })
  difference!: string;
}

const STATUSES = ['matched', 'open', 'resolved'] as const;

export class ReconciliationResponse {
  @UuidField() id!: string;
  @EnumField(STATEMENT_SOURCES) source!: string;
  @EnumField(STATEMENT_FORMATS) format!: string;
  @DayField() from!: string;
  @DayField() to!: string;
  @StringField({ description: 'the admin who created the reconciliation', example: 'admin@example.com' })
  by!: string;
  @InstantField() at!: string;
  @EnumField(STATUSES, {
    description:
      'matched: no break and no alert; open: at least one break or alert is unresolved; resolved: all are resolved',
  })
  status!: string;
  @IntegerField({ description: 'lines of the statement that were compared' }) lines!: number;
  @IntegerField({
    description: 'lines that agree with the ledger and, if the chain was read, with the chain',
  })
  matched!: number;
  @IntegerField({ description: 'lines without a record of the platform' }) missingHere!: number;
  @IntegerField({ description: 'records with postings in the range that no line of the statement matches' })
  missingThere!: number;
  @IntegerField({ description: 'lines that differ from the ledger or the chain' }) differing!: number;
  @IntegerField({ description: "malformed items of the provider's list, which were not compared" })
  unreadable!: number;
  @IntegerField({ description: 'comparisons of on-chain transfers for which the chain was not read' })
  chainUnread!: number;
  @IntegerField({ description: 'breaks that are not resolved: open, assigned or proposed' })
  unresolved!: number;
  @ListField(() => ReconciliationSumResponse) sums!: ReconciliationSumResponse[];
  @ListField(() => AlertResponse, {
    description:
      "alerts about the provider's money that were open at the time `at`, regardless of the days of the statement",
  })
  alerts!: AlertResponse[];
}

export class StatedSideResponse {
  @StringField() reference!: string;
  @StringField({ nullable: true }) txHash!: string | null;
  @StringField({ nullable: true, example: 'ERC20' }) network!: string | null;
  @ExactAmountField({ description: 'as the statement shows it' }) amount!: string;
  @EnumField(MOVEMENT_STATUSES) status!: string;
  @InstantField({ description: 'midnight UTC if the statement has a date only' }) at!: string;
}

export class BookedSideResponse {
  @EnumField(BOOK_RECORD_TYPES) type!: string;
  @StringListField({ description: 'ids of the records; several if one payment covers all of them' })
  ids!: string[];
  @StringField({ nullable: true }) txHash!: string | null;
  @StringField({ nullable: true, example: 'ERC20' }) network!: string | null;
  @ExactAmountField({
    description:
      'the posted amount in the currency received; the recorded amount if the record is not settled',
  })
  amount!: string;
  @EnumField(MOVEMENT_STATUSES) status!: string;
  @InstantField({ description: 'time of the posting; without a posting, the time of the record' })
  at!: string;
}

export class ReconciliationBreakResponse {
  @EnumField(BREAK_STATUSES) status!: string;
  @StringField({ nullable: true, example: 'admin@example.com' }) owner!: string | null;
  @EnumField(RESOLUTIONS, { nullable: true }) resolution!: string | null;
  @StringField({ nullable: true }) note!: string | null;
  @StringField({ nullable: true, example: 'admin@example.com' }) proposedBy!: string | null;
  @InstantField({ nullable: true }) proposedAt!: string | null;
  @StringField({ nullable: true, example: 'admin2@example.com' }) resolvedBy!: string | null;
  @InstantField({ nullable: true }) resolvedAt!: string | null;
}

export class ReconciliationLineResponse {
  @UuidField({ description: 'also the id of the break, if the line is one' }) id!: string;
  @EnumField(OUTCOMES) outcome!: string;
  @StringListField({
    description: 'for differing lines: any of amount, status, txHash, network, ledger and chain',
    example: ['amount'],
  })
  differs!: string[];
  @EnumField(MOVEMENT_DIRECTIONS) direction!: string;
  @StringField({ example: 'USDC' }) currency!: string;
  @IntegerField({
    nullable: true,
    description: 'line number of the CSV text; otherwise the position in the statement',
  })
  line!: number | null;
  @IntegerField({ nullable: true, description: 'number of an earlier, equal line' })
  duplicateOf!: number | null;
  @NestedField(() => StatedSideResponse, {
    nullable: true,
    description: 'the statement; null if it lacks the movement',
  })
  there!: StatedSideResponse | null;
  @NestedField(() => BookedSideResponse, {
    nullable: true,
    description: "the platform's records; null if they lack the movement",
  })
  here!: BookedSideResponse | null;
  @ExactAmountField({
    description: 'money moved there − money moved here; only settled movements have moved money',
  })
  difference!: string;
  @ExactAmountField({ description: 'part of the amount below the decimals that the ledger credits' })
  dust!: string;
  @EnumField(CHAIN_VERDICTS, {
    nullable: true,
    description:
      'side whose amount the chain shows, or why it shows none; null for other chains and currencies',
  })
  chainVerdict!: string | null;
  @ExactAmountField({
    nullable: true,
    description: 'amount that the transaction on chain pays for this line',
  })
  chainAmount!: string | null;
  @NestedField(() => ReconciliationBreakResponse, {
    nullable: true,
    description: 'null for a line that matches',
  })
  break!: ReconciliationBreakResponse | null;
}

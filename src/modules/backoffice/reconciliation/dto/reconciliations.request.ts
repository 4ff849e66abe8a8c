import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsIn, IsOptional } from 'class-validator';
import { DateInput, FilterInput, TextLength } from '../../../../http/request/input.decorators.js';
import { PageQuery } from '../../../../http/request/page.query.js';
import {
  BREAK_STATUSES,
  type BreakStatus,
  type Outcome,
  OUTCOMES,
  RESOLUTIONS,
} from '../domain/comparison.js';
import {
  MAX_LINES,
  STATEMENT_FORMATS,
  STATEMENT_SOURCES,
  type StatementFormat,
  type StatementSource,
} from '../domain/movement.js';
import { STATEMENT_FIELDS } from '../domain/statement-reader.js';
import { CreatedAfterInput, CreatedBeforeInput } from '../../../../http/request/list-inputs.js';

const MAX_CSV_CHARACTERS = 5_000_000;

/** For the documentation only: `statement-reader` validates the lines, three times as fast as class-validator. */
const LINE_SCHEMA = {
  type: 'object',
  required: Object.entries(STATEMENT_FIELDS).flatMap(([name, rule]) => ('optional' in rule ? [] : [name])),
  properties: Object.fromEntries(
    Object.entries(STATEMENT_FIELDS).map(([name, { message }]) => [
      name,
      { type: 'string', description: message },
    ]),
  ),
  additionalProperties: false,
  example: {
    reference: '1000001',
    txHash: '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060',
    amount: '600.00',
    currency: 'USDC',
    network: 'ERC20',
    direction: 'in',
    date: '2026-01-31',
    status: 'completed',
  },
};

export class MakeReconciliationRequest {
  @ApiProperty({ description: 'the provider whose statement is compared' })
  @IsIn(STATEMENT_SOURCES)
  source!: StatementSource;

  @DateInput({ description: 'first day, UTC' })
  from!: string;

  @DateInput({ description: 'last day, UTC; at most 92 days with the first' })
  to!: string;

  @ApiProperty({
    description:
      "provider: reads the deposit provider's own list; json: compares the given lines; csv: compares the given text",
    example: 'json',
  })
  @IsIn(STATEMENT_FORMATS)
  format!: StatementFormat;

  @ApiProperty({
    type: 'array',
    items: LINE_SCHEMA,
    nullable: true,
    description: 'required with the format json',
  })
  @IsOptional()
  @IsArray({ message: 'must be a list' })
  @ArrayMaxSize(MAX_LINES, { message: `must have at most ${MAX_LINES} lines` })
  lines?: unknown[] | null;

  @ApiProperty({
    nullable: true,
    description: `required with the format csv: RFC 4180 with a header of ${Object.keys(STATEMENT_FIELDS).join(', ')}; txHash, network and status are optional`,
    example: null,
  })
  @IsOptional()
  @TextLength(0, MAX_CSV_CHARACTERS)
  csv?: string | null;
}

export class ReconciliationsQuery extends PageQuery {
  @CreatedAfterInput()
  createdAfter?: string;

  @CreatedBeforeInput()
  createdBefore?: string;
}

export class ReconciliationLinesQuery extends PageQuery {
  @ApiProperty({ description: 'result of the comparison; all when absent' })
  @IsOptional()
  @IsIn(OUTCOMES)
  outcome?: Outcome;

  @FilterInput(BREAK_STATUSES, { description: 'breaks in this status' })
  status?: BreakStatus;

  @ApiProperty({ description: 'breaks of this admin, by e-mail address' })
  @IsOptional()
  @TextLength(1, 320)
  owner?: string;
}

export class AssignBreakRequest {
  @ApiProperty({
    description: 'e-mail address of an admin who may write transactions',
    example: 'admin@example.com',
  })
  @TextLength(1, 320)
  owner!: string;
}

export class ProposeResolutionRequest {
  @ApiProperty({ description: 'how the break was resolved; here is the platform, there the provider' })
  @IsIn(RESOLUTIONS)
  resolution!: string;

  @ApiProperty({ description: 'the cause, and how it was corrected' })
  @TextLength(1, 500)
  note!: string;
}

export class ReopenBreakRequest {
  @ApiProperty({ description: 'for the audit log' })
  @TextLength(1, 500)
  reason!: string;
}

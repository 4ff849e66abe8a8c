import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsIn, IsOptional } from 'class-validator';
import {
  DateInput,
  FilterInput,
  PageLimit,
  PageNumber,
  TextLength,
} from '../../../http/request/input.decorators.js';
import { BREAK_STATUSES, RESOLUTIONS } from '../domain/break.state-machine.js';
import { OUTCOMES } from '../comparison.js';
import { FORMATS, MOST_LINES, SOURCES, type Format, type Source } from '../statement-line.js';
import { FIELDS } from '../statement-reader.js';

const MOST_CHARACTERS = 5_000_000;

/** Documented here, read by `statement-reader`: class-validator takes more than three times as long for 20,000 lines. */
const LINE_SCHEMA = {
  type: 'object',
  required: Object.entries(FIELDS).flatMap(([name, rule]) => ('optional' in rule ? [] : [name])),
  properties: Object.fromEntries(
    Object.entries(FIELDS).map(([name, { message }]) => [name, { type: 'string', description: message }]),
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
  @IsIn(SOURCES)
  source!: Source;

  @DateInput({ description: 'first day, UTC' })
  from!: string;

  @DateInput({ description: 'last day, UTC; at most 92 days with the first' })
  to!: string;

  @ApiProperty({
    description:
      "provider: the deposit provider's own list is read; json: lines are given; csv: a text is given",
    example: 'json',
  })
  @IsIn(FORMATS)
  format!: Format;

  @ApiProperty({ type: 'array', items: LINE_SCHEMA, nullable: true, description: 'with the format json' })
  @IsOptional()
  @IsArray({ message: 'must be a list' })
  @ArrayMaxSize(MOST_LINES, { message: `must have at most ${MOST_LINES} lines` })
  lines?: unknown[] | null;

  @ApiProperty({
    nullable: true,
    description: `with the format csv: RFC 4180 with a header of ${Object.keys(FIELDS).join(', ')}`,
    example: null,
  })
  @IsOptional()
  @TextLength(0, MOST_CHARACTERS)
  csv?: string | null;
}

export class ReconciliationsQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 50;
}

export class ReconciliationLinesQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 50;

  @IsOptional()
  @IsIn(OUTCOMES)
  outcome?: string;

  @FilterInput(BREAK_STATUSES, { description: 'breaks in this status' })
  status?: string;

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
  @IsIn(RESOLUTIONS)
  resolution!: string;

  @ApiProperty({ description: 'what was found, and what was done about it' })
  @TextLength(1, 500)
  note!: string;
}

export class ReopenBreakRequest {
  @TextLength(1, 500)
  reason!: string;
}

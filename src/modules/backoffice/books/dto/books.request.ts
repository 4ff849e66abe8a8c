import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { CursorInput } from '../../../../http/request/cursor-input.js';
import { DateInput, PageLimit, PageNumber } from '../../../../http/request/input.decorators.js';
import type { PageCursor } from '../../../../lists/list-page.js';

const BOOK_FORMATS = ['json', 'csv', 'journal'] as const;
export type BookFormat = (typeof BOOK_FORMATS)[number];

export class FormatQuery {
  @ApiProperty({ description: 'journal: for hledger and Ledger' })
  @IsOptional()
  @IsIn(BOOK_FORMATS)
  format: BookFormat = 'json';
}

export class TrialBalanceQuery extends FormatQuery {
  @DateInput({
    optional: true,
    description: 'UTC day at whose end the balances are shown; by default today, with the present balances',
  })
  date?: string;
}

export class RangeQuery extends FormatQuery {
  @DateInput({ optional: true, description: 'first UTC day; by default 29 days before endDate' })
  startDate?: string;

  @DateInput({ optional: true, description: 'last UTC day; by default today' })
  endDate?: string;
}

export class EntriesQuery extends RangeQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 50;

  @CursorInput()
  cursor: PageCursor | undefined;
}

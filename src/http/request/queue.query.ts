import { IsIn, IsOptional } from 'class-validator';
import { PageLimit, PageNumber } from './input.decorators.js';
import { CursorInput } from './cursor-input.js';
import type { PageCursor } from '../../lists/list-page.js';

/** The query of a queue: one page of the requests that an operator has to decide about. */
export class QueueQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 50;

  @CursorInput()
  cursor: PageCursor | undefined;

  @IsOptional()
  @IsIn(['createdAt', 'amount'])
  sortBy: 'createdAt' | 'amount' = 'createdAt';

  @IsOptional()
  @IsIn(['asc', 'desc'])
  orderBy: 'asc' | 'desc' = 'asc';
}

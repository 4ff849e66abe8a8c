import { IsIn, IsOptional } from 'class-validator';
import { PageLimit, PageNumber } from './input.decorators.js';

/** A page of the rows that an operator has to decide. */
export class QueueQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 50;

  @IsOptional()
  @IsIn(['createdAt', 'amount'])
  sortBy: 'createdAt' | 'amount' = 'createdAt';

  @IsOptional()
  @IsIn(['asc', 'desc'])
  orderBy: 'asc' | 'desc' = 'asc';
}

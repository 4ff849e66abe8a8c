import { ChoiceInput } from '../validation/inputs.js';
import { PageLimit, PageNumber } from './page.query.js';

/** A page of what waits for an operator. */
export class QueueQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 50;

  @ChoiceInput(['createdAt', 'amount'], { optional: true })
  sortBy: 'createdAt' | 'amount' = 'createdAt';

  @ChoiceInput(['asc', 'desc'], { optional: true })
  orderBy: 'asc' | 'desc' = 'asc';
}

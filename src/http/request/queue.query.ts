import { PageLimit, PageNumber } from './input.decorators.js';
import { CursorInput } from './cursor-input.js';
import type { PageCursor } from '../../lists/list-page.js';
import { OrderByInput, SortByInput } from './list-inputs.js';

/** The query of a queue: one page of the requests that an operator has to decide about. */
export class QueueQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 50;

  @CursorInput()
  cursor: PageCursor | undefined;

  @SortByInput(['createdAt', 'amount'])
  sortBy: 'createdAt' | 'amount' = 'createdAt';

  @OrderByInput()
  orderBy: 'asc' | 'desc' = 'asc';
}

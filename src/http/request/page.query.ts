import type { PageCursor } from '../../lists/list-page.js';
import { CursorInput } from './cursor-input.js';
import { PageLimit, PageNumber } from './input.decorators.js';
import { OrderByInput, SortByInput } from './list-inputs.js';

/** The query of a list with pages. A list with another default sets `limit`. */
export class PageQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 50;

  @CursorInput()
  cursor: PageCursor | undefined;
}

/** The query of a queue: one page of the requests that an operator has to decide about. */
export class QueueQuery extends PageQuery {
  @SortByInput(['createdAt', 'amount'])
  sortBy: 'createdAt' | 'amount' = 'createdAt';

  @OrderByInput()
  orderBy: 'asc' | 'desc' = 'asc';
}

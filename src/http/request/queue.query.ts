import { OrderByInput, SortByInput } from './list-inputs.js';
import { PageQuery } from './page.query.js';

/** The query of a queue: one page of the requests that an operator has to decide about. */
export class QueueQuery extends PageQuery {
  @SortByInput(['createdAt', 'amount'])
  sortBy: 'createdAt' | 'amount' = 'createdAt';

  @OrderByInput()
  orderBy: 'asc' | 'desc' = 'asc';
}

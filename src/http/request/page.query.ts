import type { PageCursor } from '../../lists/list-page.js';
import { CursorInput } from './cursor-input.js';
import { PageLimit, PageNumber } from './input.decorators.js';

/** The query of a list with pages. A list with another default sets `limit`. */
export class PageQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 50;

  @CursorInput()
  cursor: PageCursor | undefined;
}

import type { ErrorCode } from '../../kernel/errors/error-catalogue.js';
import { IntegerQuery } from '../validation/inputs.js';

export const PAGE_LIMIT = 100;
const LAST_PAGE = 100_000_000;

/** `page` and `limit` of a list (part 8): a list's own query class declares both with these. */
export const PageNumber = (code: ErrorCode = 'INVALID_PAGINATION') =>
  IntegerQuery(1, LAST_PAGE, { code, description: 'from 1' });
export const PageLimit = (code: ErrorCode = 'INVALID_PAGINATION') =>
  IntegerQuery(1, PAGE_LIMIT, { code, description: `rows of a page, at most ${PAGE_LIMIT}` });

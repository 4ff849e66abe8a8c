import type { PageRequest } from '../../lists/list-page.js';
import { paginate, type CountedPage, type Pagination } from '../request/pagination.js';

/** Fields of the envelope in addition to `data`. */
interface ExtraFields {
  /** False if the route reports on the service and the service is unhealthy. */
  success?: boolean;
  message?: string;
  pagination?: Pagination;
  summary?: object;
  /** The envelope repeats its trace id as `trace_id`. */
  trace_id?: true;
  /** Fields that only this route has; `extraFields` of its decorator documents them. */
  [field: string]: unknown;
}

/** A response with more than `data`. Handlers whose response is `data` alone return it directly. */
export class EnvelopedResponse<Data> {
  constructor(
    readonly data: Data,
    readonly extraFields: ExtraFields = {},
  ) {}
}

/** One page of a list. */
export function pagedResponse<Data>(
  data: Data,
  request: PageRequest,
  page: CountedPage,
  extraFields: ExtraFields = {},
): EnvelopedResponse<Data> {
  return new EnvelopedResponse(data, { ...extraFields, pagination: paginate(request, page) });
}

export function asEnveloped(result: unknown): EnvelopedResponse<unknown> {
  return result instanceof EnvelopedResponse
    ? (result as EnvelopedResponse<unknown>)
    : new EnvelopedResponse(result);
}

/** A response without the envelope, such as a file, a signed checkpoint or the metrics. */
export class RawResponse {
  constructor(
    readonly body: unknown,
    /** They replace headers of the same names that all responses have. */
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

import type { Pagination } from '../request/pagination.js';

/** What stands beside `data` in an answer's envelope. */
interface ExtraFields {
  /** False where the route tells of the service, and the service is not well. */
  success?: boolean;
  message?: string;
  pagination?: Pagination & Record<string, unknown>;
  summary?: object;
  /** The answer spells its trace as `trace_id` too. */
  trace_id?: true;
  /** Of this route alone: its facts name it. */
  [field: string]: unknown;
}

/** An answer with more than data. Handlers that have only data return it as it is. */
export class EnvelopedResponse<Data> {
  constructor(
    readonly data: Data,
    readonly extraFields: ExtraFields = {},
  ) {}
}

/** An answer outside the envelope: documents, metrics, probes. */
export class RawResponse {
  constructor(readonly body: unknown) {}
}

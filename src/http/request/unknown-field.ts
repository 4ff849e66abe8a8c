import type { FieldProblem } from '../../common/errors/error-details.js';
import { Scrubber } from '../../observability/logging/scrubber.js';

const SCRUBBER = new Scrubber();

/** The name is text of the caller: a secret that was sent as a name by mistake is not repeated. */
export function unknownField(name: string): FieldProblem {
  return { field: SCRUBBER.scrubText(name), message: 'is not a known field' };
}

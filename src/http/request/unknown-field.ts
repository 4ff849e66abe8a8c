import type { FieldProblem } from '../../common/errors/domain-error.js';
import { Scrubbing } from '../../observability/logging/scrubbing.js';

const SCRUBBING = new Scrubbing();

/** The name is text of the caller: a secret that was sent as a name by mistake is not repeated. */
export function unknownField(name: string): FieldProblem {
  return { field: SCRUBBING.text(name), message: 'is not a known field' };
}

import type { PlatformEvent } from '../../../events/domain-events.js';

/** Topic `integrity`: emitted in the transaction that stores a run with violated invariants. */
export interface IntegrityViolationEvent extends PlatformEvent {
  readonly name: 'integrity.violation';
  readonly runId: string;
}

import type { Day } from '../../../common/days.js';
import type { PlatformEvent } from '../../../events/domain-events.js';
import type { SignedCheckpoint } from './proofs.types.js';

/** Topic `log`: emitted once for each closed day, in the transaction that appends its liabilities to the transparency log. */
export interface LogCheckpointEvent extends PlatformEvent {
  readonly name: 'log.checkpoint';
  readonly day: Day;
  readonly checkpoint: SignedCheckpoint;
}

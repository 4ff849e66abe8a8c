import type { Day } from '../../common/days.js';
import type { PlatformEvent } from '../../database/domain-events.js';
import type { SignedCheckpoint } from './proofs.types.js';

/** Topic `log`: emitted once for each day that has ended, after its liabilities have entered the log. */
export interface LogCheckpointEvent extends PlatformEvent {
  readonly name: 'log.checkpoint';
  readonly day: Day;
  readonly checkpoint: SignedCheckpoint;
}

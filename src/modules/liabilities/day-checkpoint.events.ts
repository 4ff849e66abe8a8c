import type { Day } from '../../common/days.js';
import type { PlatformEvent } from '../../database/domain-events.js';

/** Topic `log`: emitted in the transaction that closes a day. The checkpoint contains the day's liabilities. */
export interface DayCheckpointEvent extends PlatformEvent {
  readonly name: 'log.checkpoint';
  readonly day: Day;
  /** Leaves of the log. */
  readonly size: number;
  /** Base64. */
  readonly root: string;
  /** The signed note. */
  readonly checkpoint: string;
}

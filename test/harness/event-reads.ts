import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { CommitNotices } from '../../src/events/commit-notices.js';
import { EventDispatcher } from '../../src/events/event-dispatcher.service.js';
import { withoutRecording } from './queries.js';

const CHECK_MS = 250;
const TIMEOUT_MS = 20_000; // long, because the machine may be busy

// Sessions that may keep the consumers waiting for as long as the test likes: a transaction that a test holds open has sent nothing for
// a second, and a statement waits for a lock of such a transaction.
const FIND_HELD = `
  select from pg_stat_activity
   where datname = current_database() and state_change < clock_timestamp() - interval '1 second'
     and (state = 'idle in transaction' or wait_event_type = 'Lock')`;

/** Waits until the consumers have handled events: what follows from an event is written up to a second after its commit. */
export class EventReads {
  private hasNewEvents = true;
  private catchingUp = Promise.resolve(true);

  constructor(
    private readonly app: INestApplicationContext,
    private readonly dataSource: DataSource,
  ) {}

  /** Makes `caughtUp` wait for the events that this instance commits from now on. */
  watch(instance: INestApplicationContext): void {
    const notices = instance.get(CommitNotices);
    const { sendSoon } = notices;
    Object.assign(notices, {
      sendSoon: () => {
        this.hasNewEvents = true;
        sendSoon();
      },
    });
  }

  /** As `catchUp`; without a statement if the watched instances have committed no event since the last call. */
  readonly caughtUp = (): Promise<boolean> => {
    if (this.hasNewEvents) {
      this.hasNewEvents = false;
      this.catchingUp = this.catchUp().then((isDone) => {
        this.hasNewEvents ||= !isDone;
        return isDone;
      });
    }
    return this.catchingUp;
  };

  /**
   * Resolves with true when the consumers have handled every event that is committed now; with false if they wait for a
   * transaction that a test holds open, or the database does not answer.
   */
  readonly catchUp = (): Promise<boolean> =>
    withoutRecording(async () => {
      const deadline = performance.now() + TIMEOUT_MS;
      try {
        for (;;) {
          const handled = this.app.get(EventDispatcher).catchUp(CHECK_MS);
          const isDone = await Promise.race([handled, sleep(CHECK_MS, false, { ref: false })]);
          if (isDone || performance.now() > deadline || (await this.isHeld())) return isDone;
        }
      } catch {
        return false;
      }
    });

  private async isHeld(): Promise<boolean> {
    return (await this.dataSource.query<object[]>(FIND_HELD)).length > 0;
  }
}

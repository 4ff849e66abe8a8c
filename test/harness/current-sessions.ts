import { PgNotifications } from '../../src/database/pg-notifications.js';
import type { TestPlatform } from './platform.js';
import { freezeTime } from './skip-time.js';

/** Runs `work` while no process doubts that it hears of what ends sessions: none is looked up a second time. */
export async function withCurrentNotifications(
  platform: TestPlatform,
  work: () => Promise<void>,
): Promise<void> {
  const current = jest.spyOn(platform.app.get(PgNotifications), 'isCurrent', 'get').mockReturnValue(true);
  try {
    await work();
  } finally {
    current.mockRestore();
  }
}

/**
 * Runs `work` at the moment when somebody's row is gone and the notice of it, which ends what is remembered of their
 * session, is still on its way: without triggers none is sent.
 */
export async function beforeDeletionNotice(
  platform: TestPlatform,
  userId: string,
  work: (remove: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const remove = () =>
    platform.dataSource.transaction(async (tx) => {
      await tx.query('set local session_replication_role = replica');
      await tx.query('delete from platform_user where id = $1', [userId]);
    });
  await withCurrentNotifications(platform, () => work(remove));
}

/**
 * Runs `work` a second later, as far as that decides whether what is remembered of sessions and admins may be believed:
 * what has changed before counts from the first request on.
 */
export async function oneSecondLater(work: () => Promise<unknown>): Promise<void> {
  const time = freezeTime();
  time.advance(1000);
  try {
    await work();
  } finally {
    time.resume();
  }
}

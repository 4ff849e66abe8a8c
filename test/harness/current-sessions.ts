import { PgNotifications } from '../../src/database/pg-notifications.js';
import type { TestPlatform } from './platform.js';
import { freezeTime } from './skip-time.js';

/** Runs `work` while `PgNotifications.isCurrent` is true, so that cached sessions are not read from the database again. */
export async function withCurrentNotifications(
  platform: TestPlatform,
  work: () => Promise<void>,
): Promise<void> {
  const isCurrent = jest.spyOn(platform.app.get(PgNotifications), 'isCurrent', 'get').mockReturnValue(true);
  try {
    await work();
  } finally {
    isCurrent.mockRestore();
  }
}

/**
 * Runs `work` with a function that deletes the user's row without a notification, because triggers are off: the user's
 * cached session stays, as in the moment before the notification arrives.
 */
export async function beforeDeletionNotification(
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
 * Runs `work` with the clocks of this process stopped one second ahead: the caches of sessions and admins have expired, so
 * that earlier changes are visible to the first request.
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

import type { INestApplicationContext } from '@nestjs/common';
import { EventDispatcher } from '../../src/events/event-dispatcher.service.js';
import { TotalRuns } from '../../src/lists/total-runs.js';
import { NavsService } from '../../src/modules/strategies/navs.service.js';
import { withoutRecording } from './queries.js';

const CATCH_UP_MS = 500;

/** Requests whose figures come from sums, which follow a change within a second. */
const SUMMED = /^\/api\/(admin|faucet)\//;
/** Requests that post missing growth, which their sums do not include yet. */
const GROWN = /^\/api\/admin\/(dashboard|reports)\//;

/** Resolves when the sums of lists and reports include all committed changes. */
export async function caughtUp({ app }: { app: INestApplicationContext }): Promise<void> {
  await withoutRecording(async () => {
    await app.get(EventDispatcher).catchUp(CATCH_UP_MS);
    await app.get(TotalRuns).runAll();
  });
}

/** As `caughtUp`, before a request that reads sums. A test that fails the database sends its requests anyway. */
export async function caughtUpFor(app: INestApplicationContext, method: string, path: string): Promise<void> {
  if (method !== 'GET' || !SUMMED.test(path)) return;
  try {
    if (GROWN.test(path)) await withoutRecording(() => app.get(NavsService).publishMissingNavs());
    await caughtUp({ app });
  } catch {
    return;
  }
}

import type { INestApplicationContext } from '@nestjs/common';
import { EventDispatcher } from '../../src/events/event-dispatcher.service.js';
import { TotalRuns } from '../../src/lists/total-runs.js';
import { NavsService } from '../../src/modules/investing/strategies/navs.service.js';
import { withoutRecording } from './queries.js';

/** Long, since the machine may be busy. */
const PATIENT_MS = 30_000;

/** Requests whose figures come from sums, which follow a change within a second. */
const SUMMED = /^\/api\/(admin|faucet)\//;
/** Requests that post missing growth, but read sums that do not include it yet. */
const GROWN = /^\/api\/admin\/(dashboard|reports)\//;

/** Resolves when the sums of lists and reports include all committed changes. */
export async function caughtUp({ app }: { app: INestApplicationContext }): Promise<void> {
  await withoutRecording(async () => {
    await app.get(EventDispatcher).catchUp(PATIENT_MS);
    await app.get(TotalRuns).runAll();
  });
}

/** Posts missing growth before a request for figures that include it. An error is ignored, because some tests make the database fail. */
export async function growthPosted(
  app: INestApplicationContext,
  method: string,
  path: string,
): Promise<void> {
  if (method !== 'GET' || !GROWN.test(path)) return;
  await withoutRecording(() => app.get(NavsService).publishMissingNavs()).catch(() => undefined);
}

/** Recomputes the sums before a request that reads them, once the events are handled. Errors are ignored as in `growthPosted`. */
export async function sumsComputed(
  app: INestApplicationContext,
  method: string,
  path: string,
): Promise<void> {
  if (method !== 'GET' || !SUMMED.test(path)) return;
  await withoutRecording(() => app.get(TotalRuns).runAll()).catch(() => undefined);
}

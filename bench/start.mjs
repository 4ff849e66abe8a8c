// Time from the start of the built API until it is ready, with an existing schema, compared with an empty Nest application
// and with another checkout, and the memory of the idle process. Each checkout keeps its compiled code if its image does.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { alternating, median, ratioRow } from './frame.mjs';
import { otherCheckout } from './support/against.mjs';
import { startApi, startProcess, startSurroundings } from './support/platform.mjs';
import { residentMegabytes } from './support/usage.mjs';

const MAX_EXTRA_MS = 1_500; // than the empty application takes
const MAX_RATIO_TO_OTHER = 1.1;
const IDLE_MS = 3000; // the tasks that follow a start have ended

export const title =
  'From the start of the process to the first ready response, with an existing schema; the resident memory three seconds later.';

/**
 * Waits until a process is ready, adds its memory in megabytes to `memory` and stops it. Returns the milliseconds from its
 * start until it was ready.
 */
async function timeToReady(starting, memory = []) {
  const started = await starting;
  await sleep(IDLE_MS);
  memory.push(residentMegabytes(started.pid));
  await started.stop();
  return started.readyAfterMs;
}

/** The setting by which the image of the checkout in `folder` keeps compiled code, here in the folder `kept`. */
function compileCacheOf(kept, folder = '.') {
  const keepsCode = readFileSync(join(folder, 'docker/Dockerfile'), 'utf8').includes('NODE_COMPILE_CACHE=');
  return keepsCode ? { NODE_COMPILE_CACHE: kept } : {};
}

/** Creates a database with the schema. Returns a function that measures a start of the checkout in `folder` on it. */
async function measureOf(surroundings, database, { memory, folder }) {
  const settings = {
    ...(await surroundings.settingsOnNewDatabase(database)),
    ...compileCacheOf(join(surroundings.folder, `compiled-${database}`), folder),
  };
  await timeToReady(startApi(settings, { folder })); // the first start applies the migrations and compiles
  return () => timeToReady(startApi(settings, { folder }), memory);
}

export async function run() {
  const surroundings = await startSurroundings();
  const memory = { api: [], other: [] };
  try {
    const { api, empty, other } = await alternating({
      api: await measureOf(surroundings, 'start', { memory: memory.api }),
      empty: () => timeToReady(startProcess(['bench/support/empty-nest.mjs'], { ready: '/ready' })),
      ...(otherCheckout && {
        other: await measureOf(surroundings, 'other', { memory: memory.other, folder: otherCheckout.folder }),
      }),
    });
    const ms = (figure) => `${figure.toFixed(0)} ms`;
    const rows = [
      {
        what: 'start to ready',
        figure: ms(api),
        baseline: `an empty Nest application: ${ms(empty)}`,
        ratio: `+ ${ms(api - empty)}`,
        target: `≤ + ${ms(MAX_EXTRA_MS)}`,
        reached: api - empty <= MAX_EXTRA_MS,
      },
    ];
    if (otherCheckout) {
      const baselineIs = `source ${otherCheckout.name}`;
      const most = MAX_RATIO_TO_OTHER;
      const [figure, baseline] = [median(memory.api), median(memory.other)];
      rows.push(
        ratioRow('start to ready', { figure: api, baseline: other, baselineIs, most }),
        ratioRow('memory of the idle process', { figure, baseline, baselineIs, most, unit: 'MB' }),
      );
    }
    return { rows };
  } finally {
    await surroundings.stop();
  }
}

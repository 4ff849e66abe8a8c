// Time from the start of the built API until it is ready, with an existing schema, compared with an empty Nest application
// and with another checkout.
import { alternating, ratioRow } from './frame.mjs';
import { otherCheckout } from './support/against.mjs';
import { startApi, startProcess, startSurroundings } from './support/platform.mjs';

const MAX_EXTRA_MS = 1_500; // than the empty application takes
const MAX_RATIO_TO_OTHER = 1.1;

export const title = 'From the start of the process to the first ready response, with an existing schema.';

/** Waits until a process is ready and stops it. Returns the milliseconds from its start until it was ready. */
async function timeToReady(starting) {
  const started = await starting;
  await started.stop();
  return started.readyAfterMs;
}

/** Creates a database with the schema. Returns a function that measures a start of the checkout in `folder` on it. */
async function measureOf(surroundings, database, folder) {
  const settings = await surroundings.settingsOnNewDatabase(database);
  const measure = () => timeToReady(startApi(settings, { folder }));
  await measure(); // the first start applies the migrations
  return measure;
}

export async function run() {
  const surroundings = await startSurroundings();
  try {
    const { api, empty, other } = await alternating({
      api: await measureOf(surroundings, 'start'),
      empty: () => timeToReady(startProcess(['bench/support/empty-nest.mjs'], { ready: '/ready' })),
      ...(otherCheckout && { other: await measureOf(surroundings, 'other', otherCheckout.folder) }),
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
      rows.push(
        ratioRow('start to ready', { figure: api, baseline: other, baselineIs, most: MAX_RATIO_TO_OTHER }),
      );
    }
    return { rows };
  } finally {
    await surroundings.stop();
  }
}

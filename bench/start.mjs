// Time from the start of the built API until it is ready, with an existing schema, compared with an empty Nest application.
import { alternating } from './frame.mjs';
import { startDurable } from './support/durable.mjs';
import { settingsFor, startApi, startProcess } from './support/platform.mjs';

const MOST_MS = 1_500;

export const title = 'From the start of the process to the first ready response, with an existing schema.';

async function timeOf(starting) {
  const started = await starting;
  await started.stop();
  return started.readyAfterMs;
}

export async function run() {
  const postgres = await startDurable();
  try {
    const settings = await settingsFor(await postgres.migrated('start'), postgres.folder);
    const { api, empty } = await alternating({
      api: () => timeOf(startApi(settings)),
      empty: () => timeOf(startProcess(['bench/support/empty-nest.mjs'], { ready: '/ready' })),
    });
    const ms = (figure) => `${figure.toFixed(0)} ms`;
    return {
      rows: [
        {
          what: 'start to ready',
          figure: ms(api),
          baseline: `an empty Nest application: ${ms(empty)}`,
          ratio: `+ ${ms(api - empty)}`,
          reach: `≤ + ${ms(MOST_MS)}`,
          reached: api - empty <= MOST_MS,
        },
      ],
    };
  } finally {
    await postgres.stop();
  }
}

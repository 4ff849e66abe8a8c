import { recordGuarantee } from '../../harness/jest/guarantees.js';
import { KilledProcesses } from '../live/killed-processes.js';

const KILLS = Number(process.env.LIVE_KILLS ?? 200);
const TEST_TIMEOUT_MS = 20 * 60_000;

describe(`Live delivery while one of two API processes is killed ${KILLS} times`, () => {
  let scenario: KilledProcesses;

  beforeAll(async () => {
    scenario = await KilledProcesses.start();
  });
  afterAll(() => scenario?.stop());

  it(
    'reaches the typed client completely and in order',
    async () => {
      const { events, fewestConnections } = await scenario.run(KILLS);
      expect(fewestConnections).toBeGreaterThan(KILLS / 2); // two of three kills end the connections of all clients
      recordGuarantee('G-32', `${KILLS} kills, ${events} events: 0 lost, 0 repeated, 0 out of order`);
    },
    TEST_TIMEOUT_MS,
  );
});

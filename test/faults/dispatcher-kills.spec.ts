import { recordGuarantee } from '../harness/jest/guarantees.js';
import { KilledDispatchers } from '../verification/events/killed-dispatchers.js';

const KILLS = 20;

describe('The dispatcher of events, killed as a process and by the loss of its sessions', () => {
  let scenario: KilledDispatchers;

  beforeAll(async () => {
    scenario = await KilledDispatchers.start({ mail: true });
  });
  afterAll(() => scenario?.stop());

  it('has notifications, mails, deliveries, live messages and sums follow from each event once, in order for each user', async () => {
    const figure = await scenario.run(KILLS);
    recordGuarantee('G-35', figure);
  });
});

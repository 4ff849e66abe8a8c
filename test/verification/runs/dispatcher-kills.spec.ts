import { recordGuarantee } from '../../harness/jest/guarantees.js';
import { KilledDispatchers } from '../events/killed-dispatchers.js';

const KILLS = Number(process.env.DISPATCHER_KILLS ?? 200);

describe(`The dispatcher of events, killed ${KILLS} times as a process and by the loss of its sessions`, () => {
  let scenario: KilledDispatchers;

  beforeAll(async () => {
    scenario = await KilledDispatchers.start({ mail: false });
  });
  afterAll(() => scenario?.stop());

  it('has each event take effect once, in order for each user', async () => {
    const figure = await scenario.run(KILLS);
    recordGuarantee('G-36', figure);
  });
});

import { PositionSession } from '../../src/modules/live/position-session.repository.js';
import { PositionsService } from '../../src/modules/live/positions.service.js';
import { liveSteps, type LiveSteps } from '../fixtures/live.js';
import type { TestUser } from '../fixtures/given.js';
import { eventually } from '../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

const CALLS = 150; // more than the number of commit horizons that the session stores

describe('The positions of live events', () => {
  let platform: TestPlatform;
  let steps: LiveSteps;
  let session: PositionSession;
  let user: TestUser;

  beforeAll(async () => {
    platform = await startPlatform();
    steps = liveSteps(platform);
    user = await platform.given.user();
    await platform.app.get(PositionsService).onModuleDestroy(); // the test gives positions itself
    session = await PositionSession.connect(platform.env.DATABASE_URL as string, () => undefined);
    await session.assignPositions();
  });
  afterAll(async () => {
    await session?.end();
    await platform.stop();
  });

  const noWork = () => Promise.resolve();
  /** Retries, since transactions in other databases of the server delay positions, too. */
  async function expectPositionsOf(count: number): Promise<void> {
    let total = 0;
    await eventually(async () => {
      total += (await session.assignPositions()).assigned;
      expect(total).toBe(count);
    });
  }

  it('are given after the end of the transaction for which the events waited, after any number of attempts', async () => {
    const long = await steps.openTransaction();
    await steps.notify(user);
    for (let call = 0; call < CALLS; call++)
      expect(await session.assignPositions()).toEqual({ assigned: 0, hasMore: true });
    await long.commitAfter(noWork);
    await expectPositionsOf(1);
  });

  it('are given to events from before a transaction that still runs', async () => {
    const first = await steps.openTransaction();
    await steps.notify(user);
    await session.assignPositions();
    const second = await steps.openTransaction();
    await steps.notify(user);
    await session.assignPositions();
    await first.commitAfter(noWork);
    await expectPositionsOf(1);
    expect(await session.assignPositions()).toEqual({ assigned: 0, hasMore: true });
    await second.commitAfter(noWork);
    await expectPositionsOf(1);
  });

  it('are given to any number of events that arrived one by one during a long transaction', async () => {
    const long = await steps.openTransaction();
    for (let event = 0; event < CALLS; event++) {
      await steps.notify(user);
      await session.assignPositions();
    }
    await long.commitAfter(noWork);
    await expectPositionsOf(CALLS);
    await eventually(async () =>
      expect(await session.assignPositions()).toEqual({ assigned: 0, hasMore: false }),
    );
  });
});

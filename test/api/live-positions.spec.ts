import { PositionSession } from '../../src/modules/live/position-session.repository.js';
import { PositionsService } from '../../src/modules/live/positions.service.js';
import { liveSteps, type LiveSteps } from '../fixtures/live.js';
import type { TestUser } from '../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

const CALLS = 150; // more than the session keeps cuts

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

  it('are given in the first attempt after the end of the transaction for which they waited, after any number of attempts', async () => {
    const long = await steps.openTransaction();
    await steps.notify(user);
    for (let call = 0; call < CALLS; call++)
      expect(await session.assignPositions()).toEqual({ assigned: 0, isWaiting: true });
    await long.commitAfter(noWork);
    expect(await session.assignPositions()).toEqual({ assigned: 1, isWaiting: false });
  });

  it('are given to events from before a transaction that still runs', async () => {
    const first = await steps.openTransaction();
    await steps.notify(user);
    await session.assignPositions();
    const second = await steps.openTransaction();
    await steps.notify(user);
    await session.assignPositions();
    await first.commitAfter(noWork);
    expect(await session.assignPositions()).toEqual({ assigned: 1, isWaiting: true });
    await second.commitAfter(noWork);
    expect(await session.assignPositions()).toEqual({ assigned: 1, isWaiting: false });
  });

  it('are given to any number of events that arrived one by one during a long transaction', async () => {
    const long = await steps.openTransaction();
    for (let event = 0; event < CALLS; event++) {
      await steps.notify(user);
      await session.assignPositions();
    }
    await long.commitAfter(noWork);
    const { assigned } = await session.assignPositions();
    expect(assigned + (await session.assignPositions()).assigned).toBe(CALLS);
    expect(await session.assignPositions()).toEqual({ assigned: 0, isWaiting: false });
  });
});

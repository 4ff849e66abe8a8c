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

  /** The next transaction id of the server. */
  async function nextXid(): Promise<number> {
    const [{ xid }] = await platform.dataSource.query(
      'select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xid',
    );
    return Number(xid);
  }
  const noWork = () => Promise.resolve();

  it('use one transaction id while events wait for a transaction, and are given in the first attempt after its end', async () => {
    const long = await steps.openTransaction();
    await steps.notify(user);
    const before = await nextXid();
    for (let call = 0; call < CALLS; call++)
      expect(await session.assignPositions()).toEqual({ assigned: 0, isWaiting: true });
    const used = (await nextXid()) - before;
    await long.commitAfter(noWork);
    expect(used).toBeLessThan(CALLS / 2); // heartbeats of the process use some
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

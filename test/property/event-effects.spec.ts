import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import type { RecordedEvent } from '../../src/events/event-consumers.js';
import { EventLogRepository } from '../../src/events/event-log.repository.js';
import { committedEvents, wrongSums, writtenAndExpectedEffects } from '../fixtures/event-effects.js';
import { EventPlans, FULL_PLAN, LOCK_SETTINGS, USERS, planStep } from '../fixtures/event-plans.js';
import { InterruptedConsumers } from '../fixtures/interrupted-consumers.js';
import type { TestUser } from '../fixtures/given.js';
import { ANY_YIELD } from '../fixtures/random-user-history.js';
import { WebhookScenario } from '../fixtures/webhook-scenario.js';
import { caughtUp } from '../harness/caught-up.js';
import { eventually } from '../harness/eventually.js';
import { repetitions } from '../harness/repetitions.js';

describe('The consumers of events', () => {
  let scenario: WebhookScenario;
  let consumers: InterruptedConsumers;
  let plans: EventPlans;

  beforeAll(async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    consumers = InterruptedConsumers.watch();
    const settings = { INVESTMENT_APPROVAL_THRESHOLD: '800.00', ...LOCK_SETTINGS, ...ANY_YIELD };
    scenario = await WebhookScenario.start(settings, { mail: true });
    await consumers.recordIn(scenario.platform);
    plans = await EventPlans.on(scenario.platform, consumers);
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await scenario?.stop();
  });

  const sql = (text: string): Promise<object[]> => scenario.platform.dataSource.query(text);

  async function subscribedUsers(): Promise<TestUser[]> {
    const users: TestUser[] = [];
    for (let n = 0; n < USERS; n++) {
      const { user } = await scenario.subscribe(undefined, await scenario.platform.given.user());
      // The webhook receives it. A consumer of the user's former events may hold the user's row longer than DATABASE_LOCK_MS.
      await eventually(() => scenario.platform.given.deposit(user.id, '10000.00'));
      users.push(user);
    }
    return users;
  }

  it('get each committed event once and in order, and write what they write without faults, if sessions end, transactions overlap, consumers fail and a second process takes over', async () => {
    const { platform } = scenario;
    let numbered = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(planStep, { minLength: 15, maxLength: 40, size: 'max' }), async (steps) => {
        await platform.caughtUp();
        const before = await platform.app.get(EventLogRepository).getLastNumber();
        const users = await subscribedUsers();
        await plans.run(users, steps);

        expect(await sql('select * from event_failure')).toEqual([]);
        let events: RecordedEvent[] = [];
        // Jobs also emit events, for example about alerts, at any time.
        await eventually(async () => {
          events = await committedEvents(platform, before);
          expect(await consumers.numbers(before)).toEqual(consumers.expectedNumbers(events));
        });
        const { written, expected } = await writtenAndExpectedEffects(
          platform,
          users.map(({ id }) => id),
        );
        expect(written).toEqual(expected);
        expect(written.notifications.length).toBeGreaterThanOrEqual(USERS);
        await eventually(async () => {
          await caughtUp(platform);
          expect(await wrongSums(platform)).toEqual([]);
        });
        numbered += events.length;
      }),
      { numRuns: repetitions(80), examples: [[FULL_PLAN]], endOnFailure: true },
    );
    expect(consumers.carriedOut).toBeGreaterThanOrEqual(2); // at least those of FULL_PLAN
    expect(numbered).toBeGreaterThan(100);
  });
});

import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { EventConsumers, type RecordedEvent } from '../../../src/events/event-consumers.js';
import { EventLogRepository } from '../../../src/events/event-log.repository.js';
import { EVENTS } from '../../fixtures/event-feed.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { eventually } from '../../harness/eventually.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import { MetricsPage } from '../../harness/metrics.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { skipTime } from '../../harness/skip-time.js';

const METRICS_CACHE_MS = 5000;

describe('An event that a consumer cannot handle', () => {
  const NAME = 'fragile';
  let platform: TestPlatform;
  let admin: TestAdmin;
  let isBroken = false;
  const handled: string[] = [];

  beforeAll(async () => {
    platform = await startPlatform({ settings: { DEPOSIT_POLL_SECONDS: '3600' } });
    admin = await platform.given.admin();
    await platform.caughtUp();
    platform.app.get(EventConsumers).register({
      name: NAME,
      topics: ['user'],
      consume: async (_tx, events: readonly RecordedEvent[]) => {
        if (isBroken) throw new Error('cannot handle it');
        handled.push(...events.map(({ id }) => id));
      },
    });
    await platform.app.get(EventLogRepository).insertConsumers([NAME]);
  });
  afterAll(() => platform?.stop());

  const metricsPage = async () => {
    skipTime(METRICS_CACHE_MS);
    return MetricsPage.fetch(platform.baseUrl);
  };
  const openAlerts = async (kind: string) =>
    (await platform.as(admin).get('/api/admin/alerts?limit=100')).data.filter(
      (alert: any) => alert.kind === kind && alert.subject.id === NAME,
    );
  const repeat = (id: string, body: object = {}, by = admin) =>
    platform.as(by).post(`${EVENTS}/${id}/repeat`, body);
  /** Creates a user whose event the consumer cannot handle, waits until it is parked (`event_failure`), and returns its id. */
  const parkEvent = async (): Promise<string> => {
    isBroken = true;
    const { id } = await platform.given.user();
    await eventually(async () => {
      await platform.caughtUp();
      const parked = await platform.dataSource.query(
        `select event_id from event_failure join domain_event on id = event_id where user_id = $1`,
        [id],
      );
      expect(parked).toHaveLength(1);
    });
    const [{ id: eventId }] = await platform.dataSource.query(
      `select id from domain_event where user_id = $1 and type = 'user.created'`,
      [id],
    );
    return eventId;
  };

  it('is counted, raises an alert, and is handled when an admin repeats it', async () => {
    const id = await parkEvent();
    expect((await metricsPage()).value('event_failures', { consumer: NAME })).toBe(1);
    expect((await metricsPage()).value('event_failures', { consumer: 'notifications' })).toBe(0);
    await platform.runJob('event-alerts');
    await platform.runJob('event-alerts');
    expect(await openAlerts('events-parked')).toHaveLength(1);

    expect(await repeat(id)).toMatchObject({ status: 422, code: 'INVALID_STATE' });
    expect((await metricsPage()).value('event_failures', { consumer: NAME })).toBe(1);
    isBroken = false;
    expect((await repeat(id, { consumer: 'notifications' })).code).toBe('EVENT_NOT_FOUND');
    expect(await repeat(id)).toMatchObject({ status: 200, data: { id, consumers: [NAME] } });
    expect(handled.filter((eventId) => eventId === id)).toHaveLength(1);
    expect((await repeat(id)).code).toBe('EVENT_NOT_FOUND');
    expect((await metricsPage()).value('event_failures', { consumer: NAME })).toBe(0);
    const audit = await platform.as(admin).get(`/api/admin/audit?subject=event:${id}`);
    expect(audit.data).toMatchObject([
      { action: 'event.repeat', admin: admin.email, after: { consumers: [NAME] } },
    ]);
    await platform.runJob('event-alerts');
    expect(await openAlerts('events-parked')).toEqual([]);
  });

  it('is handled once by two concurrent repetitions', async () => {
    const id = await parkEvent();
    isBroken = false;
    const replies = await Promise.all([repeat(id), repeat(id, { consumer: NAME })]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect(handled.filter((eventId) => eventId === id)).toHaveLength(1);
  });

  it('is deleted with the user whom it is about, and then neither repeated nor counted', async () => {
    const id = await parkEvent();
    isBroken = false;
    const [{ user_id: userId }] = await platform.dataSource.query(
      'select user_id from domain_event where id = $1',
      [id],
    );
    await platform.as(admin).delete(`/api/admin/users/${userId}?permanent=true`);
    expect((await repeat(id)).code).toBe('EVENT_NOT_FOUND');
    expect((await metricsPage()).value('event_failures', { consumer: NAME })).toBe(0);
  });

  it('is not repeated if a concurrent erasure of its user commits first', async () => {
    const id = await parkEvent();
    isBroken = false;
    // Locks the user and deletes the parked event, as the erasure of a user does.
    const erasure = platform.dataSource.createQueryRunner();
    await erasure.startTransaction();
    await erasure.query(
      'select from platform_user where id = (select user_id from domain_event where id = $1) for update',
      [id],
    );
    const repeated = repeat(id);
    await eventually(async () => expect(await platform.dataSource.query(LOCK_WAITS)).toHaveLength(1));
    await erasure.query('delete from event_failure where event_id = $1', [id]);
    await erasure.commitTransaction();
    await erasure.release();
    expect((await repeated).code).toBe('EVENT_NOT_FOUND');
  });

  it('is not found under another id, and can be repeated only by an admin with all permissions', async () => {
    expect((await repeat(UNKNOWN_ID)).code).toBe('EVENT_NOT_FOUND');
    expect((await repeat('x')).code).toBe('EVENT_NOT_FOUND');
    expect((await repeat(UNKNOWN_ID, { consumer: 7 })).code).toBe('VALIDATION_ERROR');
    const operator = await platform.given.admin('operator');
    expect((await repeat(UNKNOWN_ID, {}, operator)).code).toBe('PERMISSION_DENIED');
  });

  it('is counted as lag, with an alert after a minute, while its consumer waits for an open transaction', async () => {
    await platform.caughtUp();
    expect((await metricsPage()).value('event_consumer_lag_seconds', { consumer: NAME })).toBe(0);
    await platform.app.get(UnitOfWork).runInNewTransaction(async (tx) => {
      // While this transaction, which has a number of an event, is open, consumers wait with later events.
      await tx.query('select next_domain_event_number()');
      await platform.given.user();
      // The event of the user is made two minutes older.
      await platform.app.get(UnitOfWork).runInNewTransaction(async (other) => {
        await other.query('alter table domain_event disable trigger domain_event_kept');
        await other.query(
          `update domain_event set written_at = written_at - interval '2 minutes'
            where number = (select max(number) from domain_event)`,
        );
        await other.query('alter table domain_event enable trigger domain_event_kept');
      });
      expect((await metricsPage()).value('event_consumer_lag_seconds', { consumer: NAME })).toBeGreaterThan(
        119,
      );
      await platform.runJob('event-alerts');
      expect(await openAlerts('events-behind')).toMatchObject([
        { nextStep: expect.stringContaining('End the oldest transaction') },
      ]);
    });
    await platform.caughtUp();
    await platform.runJob('event-alerts');
    expect(await openAlerts('events-behind')).toEqual([]);
    expect((await metricsPage()).value('event_consumer_lag_seconds', { consumer: NAME })).toBe(0);
  });
});

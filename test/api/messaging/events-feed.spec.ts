import { randomUUID } from 'node:crypto';
import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { ADMIN_EVENTS } from '../../../src/modules/messaging/live/event-types.constants.js';
import { AlertsService } from '../../../src/modules/core/alerts/alerts.service.js';
import { FEED_EVENTS } from '../../../src/modules/messaging/event-feed/feed-types.constants.js';
import { NavsService } from '../../../src/modules/investing/strategies/navs.service.js';
import { YieldReportsService } from '../../../src/modules/investing/strategies/yield-reports.service.js';
import { EVENT_TYPES } from '../../../src/modules/messaging/webhooks/webhooks.types.js';
import { EVENTS, FeedReader, type FedEvent } from '../../fixtures/event-feed.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const DESTINATION = '0x00000000000000000000000000000000000000bb';
const FAR_DAYS = 36; // events are kept for 35 days

let platform: TestPlatform;
let admin: TestAdmin;

beforeAll(async () => {
  platform = await startPlatform({ settings: { DEPOSIT_POLL_SECONDS: '3600' } });
  admin = await platform.given.admin();
});
afterAll(() => platform?.stop());

const feed = (query = '') => platform.as(admin).get(`${EVENTS}${query}`);
const newReader = async (limit?: number) => {
  const reader = new FeedReader(platform, admin, limit);
  await reader.readNew();
  return reader;
};
const aboutUser = (events: readonly FedEvent[], userId: string) =>
  events.filter((event) => event.userId === userId);
const emailAddressesIn = (events: readonly FedEvent[]) =>
  JSON.stringify(events).match(/[\w.-]+@[\w.-]+/g) ?? [];

describe('GET /api/admin/events', () => {
  it('answers the events of a user in order, with the data of the webhooks', async () => {
    const reader = await newReader();
    const user = await platform.given.user().withBalance('100.00');
    const body = { amount: '40.00', currency: 'USDC', toAddress: DESTINATION };
    const { data: withdrawal } = await platform.as(user).post('/api/user/withdrawals', body);
    await platform.as(user).post(`/api/user/withdrawals/${withdrawal.id}/cancel`);
    const events = aboutUser(await reader.readNew(), user.id);
    expect(events.map(({ type }) => type)).toEqual([
      'user.created',
      'deposit.completed',
      'withdrawal.requested',
      'withdrawal.cancelled',
    ]);
    const numbers = events.map(({ number }) => Number(number));
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(events[0]).toMatchObject({
      at: platform.clock.now().toISOString(),
      subject: { type: 'user', id: user.id },
      data: { status: 'active', createdBy: 'sign-in' },
    });
    expect(events[3]).toMatchObject({ subject: { type: 'withdrawal', id: withdrawal.id } });
    expect(events[3]?.data).toEqual({
      withdrawalId: withdrawal.id,
      status: 'rejected',
      amount: '40.00',
      currency: 'USDC',
      toAddress: expect.stringMatching(/bb$/i),
      txHash: null,
      reason: null,
      cancelledByUser: true,
      cancelledAt: platform.clock.now().toISOString(),
    });
    expect(emailAddressesIn(events)).toEqual([]);
  });

  it('gives each event once to a reader that continues with next, whatever the page size', async () => {
    const users = [await platform.given.user().withBalance('5.00'), await platform.given.user()];
    const all = (await feed('?limit=1000')).data.events as FedEvent[];
    const paged = await new FeedReader(platform, admin, 2).readNew();
    expect(paged.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    for (const { id } of users) expect(aboutUser(all, id).length).toBeGreaterThan(0);
    const last = all.at(-1) as FedEvent;
    expect((await feed(`?after=${last.number}`)).data).toEqual({ events: [], next: null });
  });

  it('answers only the wanted types', async () => {
    await platform.given.user().withBalance('7.00');
    const { data } = await feed('?types=user.created,security.new-device&limit=1000');
    expect(new Set(data.events.map(({ type }: FedEvent) => type))).toEqual(new Set(['user.created']));
  });

  it('hides an event behind an open transaction until the transaction has ended', async () => {
    const reader = await newReader();
    let user = { id: '' };
    await platform.app.get(UnitOfWork).runInNewTransaction(async (tx) => {
      await tx.query('select next_domain_event_number()'); // lower than that of the event below
      user = await platform.given.user();
      expect(aboutUser(await reader.readNew(), user.id)).toEqual([]);
    });
    await eventually(async () => expect(aboutUser(await reader.readNew(), user.id)).toHaveLength(1));
  });

  it('reports changes of accounts, also those of which the user is not notified, without addresses', async () => {
    const reader = await newReader();
    const email = `${randomUUID()}@example.org`;
    const { data: created } = await platform.as(admin).post('/api/admin/users', { email });
    const path = `/api/admin/users/${created.id}`;
    await platform.as(admin).put(path, { status: 'suspended', reason: 'Ask a@b.example', notifyUser: false });
    await platform.as(admin).put(path, { status: 'active', reason: 'Ask a@b.example' });
    const newEmail = `${randomUUID()}@example.org`;
    const { data: approval } = await platform
      .as(admin)
      .put(path, { email: newEmail, reason: 'Asked for it' });
    const second = await platform.given.admin('admin2');
    await platform.as(second).post(`/api/admin/approvals/${approval.id}/approve`, { note: 'ok' });
    const events = await reader.readNew();
    expect(aboutUser(events, created.id).map(({ type, data }) => [type, data])).toEqual([
      ['user.created', { status: 'active', createdBy: 'admin' }],
      ['user.status-changed', { status: 'suspended', createdBy: null }],
      ['user.status-changed', { status: 'active', createdBy: null }],
      [
        'user.email-changed',
        { suspendedWallets: 0, revokedKeys: 0, disabledWebhooks: 0, holdUntil: expect.any(String) },
      ],
    ]);
    expect(events.filter(({ type }) => type.startsWith('approval.')).map(({ data }) => data)).toEqual(
      ['pending', 'approved'].map((status) => ({
        id: approval.id,
        kind: 'user.email-change',
        status,
        subjectType: 'user',
        subjectId: created.id,
      })),
    );
    expect(emailAddressesIn(events)).toEqual([]);
  });

  it('leaves no event about an erased user', async () => {
    const user = await platform.given.user();
    await platform.as(admin).delete(`/api/admin/users/${user.id}?permanent=true`);
    expect(aboutUser((await feed('?limit=1000')).data.events, user.id)).toEqual([]);
  });

  it('reports that alerts are raised and resolved', async () => {
    const reader = await newReader();
    const id = randomUUID();
    const texts = { message: 'The clock of a process is wrong.', nextStep: 'Set the clock.' };
    const alerts = platform.app.get(AlertsService);
    await alerts.raise({ kind: 'clock-apart', subject: { type: 'process', id }, ...texts });
    await alerts.raise({ kind: 'clock-apart', subject: { type: 'process', id }, ...texts });
    await alerts.resolveBySystem('clock-apart', id);
    await alerts.resolveBySystem('clock-apart', id);
    await alerts.raise({ kind: 'clock-apart', subject: { type: 'process', id }, ...texts });
    const [alert] = (await platform.as(admin).get('/api/admin/alerts?limit=100')).data.filter(
      ({ subject }: any) => subject.id === id,
    );
    await platform.as(admin).post(`/api/admin/alerts/${alert.id}/resolve`, { reason: 'Ask a@b.example' });
    const events = (await reader.readNew()).filter(({ data }) => data.subjectId === id);
    expect(events.map(({ type, data }) => [type, data.resolvedBy])).toEqual([
      ['alert.raised', null],
      ['alert.resolved', 'system'],
      ['alert.raised', null],
      ['alert.resolved', 'admin'],
    ]);
    expect(events[3]).toMatchObject({
      subject: { type: 'alert', id: alert.id },
      data: { id: alert.id, kind: 'clock-apart', subjectType: 'process', ...texts },
    });
    expect(emailAddressesIn(events)).toEqual([]);
  });

  it('reports yield reports and the decisions about them', async () => {
    await platform.app.get(NavsService).publishMissingNavs();
    const reader = await newReader();
    const reports = platform.app.get(YieldReportsService);
    const report = { strategyId: 'balanced-10', day: '2026-03-02', apy: '10.5' };
    await reports.record({ eventId: randomUUID(), ...report });
    await reports.record({ eventId: randomUUID(), ...report, apy: '18' });
    const [{ id }] = (await platform.as(admin).get('/api/admin/yield-reports?status=waiting')).data;
    await platform.as(admin).post(`/api/admin/yield-reports/${id}/reject`, { reason: 'Ask a@b.example' });
    const events = (await reader.readNew()).filter(({ type }) => type.startsWith('yield.'));
    const common = { strategyId: 'balanced-10', day: '2026-03-02', realisedAmount: null };
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ['yield.reported', { ...common, id: expect.any(String), apy: '10.50', state: expect.any(String) }],
      ['yield.reported', { ...common, id, apy: '18.00', state: 'waiting' }],
      ['yield.decided', { ...common, id, apy: '18.00', state: 'rejected' }],
    ]);
    expect(events[2]?.subject).toEqual({ type: 'yield-report', id });
  });

  it.each([
    'after=-1',
    'after=1.5',
    'after=x',
    'types=deposit.unknown',
    'types=',
    'types=toString',
    'limit=0',
    'limit=1001',
  ])('refuses ?%s with VALIDATION_ERROR', async (query) => {
    expect((await feed(`?${query}`)).code).toBe('VALIDATION_ERROR');
  });

  it('needs the permission audit:read', async () => {
    const support = await platform.given.admin('support');
    expect((await platform.as(support).get(EVENTS)).code).toBe('PERMISSION_DENIED');
  });

  it('has every type of users’ webhooks, and those of admins’ live events but the pending investment', () => {
    const names = Object.keys(FEED_EVENTS);
    expect(names).toEqual(expect.arrayContaining([...EVENT_TYPES]));
    const others = Object.keys(ADMIN_EVENTS).filter((type) => !names.includes(type));
    expect(others).toEqual(['investment.pending']);
  });
});

describe('Events that are too old', () => {
  it('are deleted, and a reader that has not read them is told the number of the oldest event that is left', async () => {
    const events = (await feed('?limit=1000')).data.events as FedEvent[];
    const [first, second, third] = events as [FedEvent, FedEvent, FedEvent];
    await backdate(Number(second.number));
    await platform.runJob('old-events');
    expect((await feed(`?after=${first.number}`)).code).toBe('INVALID_STATE');
    const refused = await feed('?after=0');
    expect(refused).toMatchObject({ status: 422, body: { error: { details: { oldest: third.number } } } });
    const rest = (await feed(`?after=${Number(third.number) - 1}&limit=1000`)).data.events as FedEvent[];
    expect(rest[0]?.id).toBe(third.id);
    expect((await feed('?limit=1')).data.events[0].id).toBe(third.id); // without `after`, from the oldest event
    // A reader of the last deleted event has missed none, although numbers, such as those of an erased user's events, may be missing.
    expect((await feed(`?after=${second.number}`)).status).toBe(200);
  });

  /** Makes the events up to a number older than they are. */
  async function backdate(upTo: number): Promise<void> {
    await platform.app.get(UnitOfWork).runInNewTransaction(async (tx) => {
      await tx.query('alter table domain_event disable trigger domain_event_kept');
      await tx.query(
        'update domain_event set written_at = written_at - make_interval(days => $2) where number <= $1',
        [upTo, FAR_DAYS],
      );
      await tx.query('alter table domain_event enable trigger domain_event_kept');
    });
  }
});

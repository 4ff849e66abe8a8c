import type { TestUser } from '../../fixtures/given.js';
import { DomainEventFixtures, userWithFourNotifications } from '../../fixtures/domain-event-fixtures.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const PATH = '/api/user/notifications';

describe('/api/user/notifications', () => {
  let platform: TestPlatform;
  let events: DomainEventFixtures;

  beforeAll(async () => {
    platform = await startPlatform();
    events = new DomainEventFixtures(platform.app);
  });
  afterAll(() => platform?.stop());

  const list = (user: TestUser) => platform.as(user).get(PATH);
  const unread = async (user: TestUser) => (await platform.as(user).get(`${PATH}/unread/count`)).data;

  describe('PUT /:id/read', () => {
    it('marks a notification as read once, with the time', async () => {
      const user = await platform.given.user().withBalance('100.00');
      const [note] = (await list(user)).data;
      platform.clock.moveTo('2026-03-02T11:30:00.000Z');
      const { status, data } = await platform.as(user).put(`${PATH}/${note.id}/read`);
      expect(status).toBe(200);
      expect(data).toEqual({ ...note, isRead: true, readAt: '2026-03-02T11:30:00.000Z' });
      expect((await list(user)).data).toEqual([data]);
      expect(await platform.as(user).put(`${PATH}/${note.id}/read`)).toMatchObject({
        status: 400,
        code: 'ALREADY_READ',
      });
    });

    it('succeeds for one of three concurrent requests', async () => {
      const user = await platform.given.user().withBalance('100.00');
      const [note] = (await list(user)).data;
      const read = () => platform.as(user).put(`${PATH}/${note.id}/read`);
      const answers = await Promise.all([read(), read(), read()]);
      expect(answers.map((answer) => answer.code ?? 'read').sort()).toEqual([
        'ALREADY_READ',
        'ALREADY_READ',
        'read',
      ]);
    });

    it.each([UNKNOWN_ID, 'x', '42'])('answers 404 for the unknown id %s', async (id) => {
      const user = await platform.given.user();
      const refused = await platform.as(user).put(`${PATH}/${id}/read`);
      expect(refused).toMatchObject({ status: 404, code: 'NOTIFICATION_NOT_FOUND' });
    });

    it('rejects another user’s notification and leaves it unread', async () => {
      const [owner, other] = [await platform.given.user().withBalance('100.00'), await platform.given.user()];
      const [note] = (await list(owner)).data;
      const refused = await platform.as(other).put(`${PATH}/${note.id}/read`);
      expect(refused).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
      expect((await unread(owner)).total).toBe(1);
      expect((await list(other)).data).toEqual([]);
    });
  });

  describe('PUT /mark-all-read', () => {
    const markAll = (user: TestUser, body?: unknown) => platform.as(user).put(`${PATH}/mark-all-read`, body);

    it.each([
      [
        'all',
        undefined,
        { markedCount: 4, remainingUnread: 0, details: { deposit: 2, investment: 1, security: 1 } },
      ],
      [
        'all, with an empty body',
        {},
        { markedCount: 4, remainingUnread: 0, details: { deposit: 2, investment: 1, security: 1 } },
      ],
      ['all of a type', { type: 'deposit' }, { markedCount: 2, remainingUnread: 2, details: { deposit: 2 } }],
      [
        'all before a day',
        { beforeDate: '2026-03-02' },
        { markedCount: 1, remainingUnread: 3, details: { deposit: 1 } },
      ],
      [
        'all before a timestamp',
        { beforeDate: '2026-03-02T01:00:00.000Z' },
        { markedCount: 2, remainingUnread: 2, details: { deposit: 1, investment: 1 } },
      ],
      [
        'all of a type before a timestamp',
        { type: 'investment', beforeDate: '2026-03-02T01:00:00.000Z' },
        { markedCount: 1, remainingUnread: 3, details: { investment: 1 } },
      ],
    ])('marks %s', async (_what, body, expected) => {
      const user = await userWithFourNotifications(platform, events);
      const answer = await markAll(user, body);
      expect(answer.status).toBe(200);
      expect(answer.data).toEqual(expected);
      expect((await unread(user)).total).toBe(expected.remainingUnread);
    });

    it('rejects a request that matches no unread notification', async () => {
      const user = await platform.given.user().withBalance('100.00');
      const none = { status: 400, code: 'NO_UNREAD_NOTIFICATIONS' };
      expect(await markAll(user, { type: 'security' })).toMatchObject(none);
      expect((await unread(user)).total).toBe(1);
      await markAll(user);
      expect(await markAll(user)).toMatchObject(none);
    });

    it('leaves notifications of other users unread', async () => {
      const ann = await platform.given.user().withBalance('10.00');
      const bob = await platform.given.user().withBalance('10.00');
      await markAll(ann);
      expect((await unread(bob)).total).toBe(1);
    });

    it.each([
      [{ type: 'gossip' }],
      [{ type: 7 }],
      [{ beforeDate: 'yesterday' }],
      [{ beforeDate: '2026-02-30' }],
      [{ beforeDate: 1 }],
      [{ unread: true }],
    ])('rejects %j with VALIDATION_ERROR', async (body) => {
      const user = await platform.given.user().withBalance('10.00');
      expect(await markAll(user, body)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
      expect((await unread(user)).total).toBe(1);
    });
  });
});

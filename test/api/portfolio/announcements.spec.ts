import { randomUUID } from 'node:crypto';
import { Jobs } from '../../../src/jobs/jobs.service.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const PATH = '/api/admin/announcements';
const CROWD = 1_200; // users, for three batches of at most 500 notifications

describe('POST /api/admin/announcements', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform();
    admin = await platform.given.admin();
  });
  afterAll(() => platform?.stop());

  const announcement = {
    type: 'system',
    title: 'Maintenance',
    message: 'On Sunday at noon.',
    audience: 'all',
  };
  const announce = (more: object = {}, by = admin) =>
    platform.as(by).post(PATH, { ...announcement, ...more });
  const deliver = () => platform.app.get(Jobs).queue('announcements').drain();
  const notificationsOf = async (user: TestUser, id: string) => {
    const { data } = await platform.as(user).get('/api/user/notifications?limit=100');
    return data.filter(({ metadata }: any) => metadata.announcementId === id);
  };
  const countUsers = async () =>
    (
      await platform.dataSource.query('select count(*)::int as count from platform_user where not is_admin')
    )[0].count;
  async function investor(): Promise<TestUser> {
    const user = await platform.given.user().withBalance('100.00');
    const body = { strategyId: 'balanced-10', amount: '100.00' };
    expect((await platform.as(user).post('/api/user/investments', body)).status).toBe(201);
    return user;
  }

  it('notifies each user who exists at its creation exactly once, and is recorded in the audit log', async () => {
    const ann = await platform.given.user();
    const { status, data } = await announce();
    expect(status).toBe(201);
    expect(data).toEqual({
      id: expect.any(String),
      ...announcement,
      recipients: await countUsers(),
      createdAt: platform.clock.now().toISOString(),
    });
    const laterUser = await platform.given.user();
    await Promise.all([deliver(), deliver()]);
    await deliver();
    expect(await notificationsOf(ann, data.id)).toMatchObject([
      {
        type: 'system',
        title: 'Maintenance',
        message: 'On Sunday at noon.',
        priority: 'normal',
        category: 'platform',
        actionUrl: null,
        createdAt: data.createdAt,
        isRead: false,
      },
    ]);
    expect(await notificationsOf(laterUser, data.id)).toEqual([]);
    const entries = await platform.dataSource.query(
      'select actor, action, after from audit_entry where subject_id = $1',
      [data.id],
    );
    expect(entries).toEqual([
      {
        actor: 'admin@example.com',
        action: 'announcement.create',
        after: { ...announcement, recipients: data.recipients },
      },
    ]);
  });

  it('is sent once when it is repeated with its key after a lost response', async () => {
    const ann = await platform.given.user();
    const headers = { 'idempotency-key': randomUUID() };
    const send = () => platform.as(admin).post(PATH, announcement, { headers });
    const first = await send();
    const again = await send();
    expect([again.status, again.data]).toEqual([first.status, first.data]);
    await deliver();
    const { data } = await platform.as(ann).get('/api/user/notifications?limit=100');
    expect(data.filter(({ title }: any) => title === announcement.title)).toHaveLength(1);
  });

  it('is delivered when the background job runs by its schedule', async () => {
    const ann = await platform.given.user();
    const { data } = await announce();
    await eventually(async () => expect(await notificationsOf(ann, data.id)).toHaveLength(1));
  });

  it('reaches only users with open investments when the audience is investors', async () => {
    const [ann, ben, former] = [await investor(), await platform.given.user(), await investor()];
    const [{ id }] = (await platform.as(former).get('/api/user/investments')).data;
    await platform.as(former).delete(`/api/user/investments/${id}`);
    const { data } = await announce({ audience: 'investors' });
    await deliver();
    expect(await notificationsOf(ann, data.id)).toHaveLength(1);
    expect(await notificationsOf(ben, data.id)).toEqual([]);
    expect(await notificationsOf(former, data.id)).toEqual([]);
  });

  it('reaches users who disabled notifications unless it is a promotion', async () => {
    const [ann, ben] = [await platform.given.user(), await platform.given.user()];
    const { recipients } = (await announce({ type: 'promotion' })).data;
    await platform.as(ben).put('/api/user/profile', { notifications: { push: false } });
    const { data } = await announce({ type: 'promotion' });
    expect(data.recipients).toBe(recipients - 1);
    await deliver();
    expect(await notificationsOf(ann, data.id)).toMatchObject([{ type: 'promotion', priority: 'low' }]);
    expect(await notificationsOf(ben, data.id)).toEqual([]);
    const system = await announce();
    await deliver();
    expect(await notificationsOf(ben, system.data.id)).toHaveLength(1);
  });

  it('reaches more users than one batch holds', async () => {
    await platform.dataSource.query(
      `insert into platform_user (id, email, created_at, updated_at)
       select gen_random_uuid(), 'crowd-' || n || '@example.org', now(), now() from generate_series(1, $1) as n`,
      [CROWD],
    );
    const { data } = await announce();
    await deliver();
    const [delivered] = await platform.dataSource.query(
      `select count(*)::int as notifications, count(distinct user_id)::int as users from notification
        where metadata ->> 'announcementId' = $1`,
      [data.id],
    );
    expect(delivered).toEqual({ notifications: data.recipients, users: data.recipients });
    expect(data.recipients).toBeGreaterThan(CROWD);
  });

  it('is accepted when it has no recipients', async () => {
    await platform.dataSource.query('update platform_user set notify_push = false');
    const { data } = await announce({ type: 'promotion' });
    expect(data.recipients).toBe(0);
  });

  it.each([
    [{ type: 'security' }],
    [{ title: '' }],
    [{ title: '  ' }],
    [{ title: 'x'.repeat(121) }],
    [{ title: '😀'.repeat(121) }],
    [{ message: 'x'.repeat(2001) }],
    [{ message: 'a\0b' }],
    [{ audience: 'nobody' }],
    [{ priority: 'high' }],
  ])('rejects %j with VALIDATION_ERROR', async (more) => {
    expect(await announce(more)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
  });

  it('accepts a title and a message of maximal length', async () => {
    expect((await announce({ title: 'x'.repeat(120), message: 'x'.repeat(2000) })).status).toBe(201);

    const emoji = await announce({ title: '😀'.repeat(100) }); // 100 characters, but 200 UTF-16 code units
    expect(emoji).toMatchObject({ status: 201 });
  });

  it('requires the permission to change users', async () => {
    for (const name of ['operator', 'support'])
      expect((await announce({}, await platform.given.admin(name))).code).toBe('PERMISSION_DENIED');
  });
});

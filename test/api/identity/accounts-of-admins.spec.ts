import { Jobs } from '../../../src/jobs/jobs.service.js';
import { AdminAccountsJob } from '../../../src/modules/desk/user-admin/admin-accounts.job.js';
import { ADMIN_USERS } from '../../fixtures/admin-users.js';
import { FeedReader } from '../../fixtures/event-feed.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { signInAsStranger } from '../../fixtures/identities.js';
import { listAdmin, removeAdmin } from '../../fixtures/listed-admins.js';
import { sendRequest } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const ANNOUNCEMENTS = '/api/admin/announcements';

describe('The account through which an admin signs in', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;
  let accounts = 0;

  beforeAll(async () => {
    platform = await startPlatform();
    await platform.app.get(Jobs).get('admin-accounts').end(); // only the test runs the job
    admin = await platform.given.admin();
    await platform.given.user().withBalance('100.00');
  });
  afterAll(() => platform?.stop());

  const newEmail = () => `both-${++accounts}@example.org`;
  const get = (path: string) => platform.as(admin).get(path);
  const correctAccounts = () => platform.app.get(AdminAccountsJob).correctAccounts();
  const sql = (text: string, ...parameters: unknown[]) => platform.dataSource.query(text, parameters);
  const signIn = async (email: string) => {
    const token = await platform.outside.providers.identity.token({ email, name: 'Both Persons' });
    const { status, data } = await platform.as({ token }).post('/api/auth/idp/login');
    expect(status).toBe(200);
    return data;
  };
  async function adminWithAccount(email = newEmail()): Promise<string> {
    await listAdmin(platform, email);
    const { isAdmin, user } = await signIn(email);
    expect(isAdmin).toBe(true);
    return user.id;
  }
  async function listedUser(): Promise<TestUser> {
    const user = await platform.given.user(newEmail());
    await listAdmin(platform, user.email);
    return user;
  }

  /** Everything that counts or lists users. */
  async function usersEverywhere(): Promise<object> {
    const list = await get(`${ADMIN_USERS}?limit=100`);
    const csv = await sendRequest(`${platform.baseUrl}${ADMIN_USERS}?format=csv`, {
      headers: { authorization: `Bearer ${admin.token}` },
    });
    const report = (await get('/api/admin/reports/users')).data;
    const announcement = { type: 'system', title: 'Maintenance', message: 'On Sunday.', audience: 'all' };
    return {
      listed: list.data.map(({ email }: TestUser) => email),
      total: list.body.pagination.total,
      summary: { ...list.body.summary, asOf: null },
      basic: (await get(`${ADMIN_USERS}?view=basic`)).data.pagination.total,
      csv: csv.text.split('\r\n').length,
      suggestions: (await get(`${ADMIN_USERS}/search?email=both`)).data.suggestions.length,
      stats: (await get('/api/admin/dashboard/stats?period=30d')).data.users,
      report: { points: report.dataPoints, summary: { ...report.summary, asOf: null } },
      recipients: (await platform.as(admin).post(ANNOUNCEMENTS, announcement)).data.recipients,
    };
  }
  const createdEvents = async (reader: FeedReader, id: string) =>
    (await reader.readNew()).filter(({ type, userId }) => type === 'user.created' && userId === id).length;
  const screeningQuestions = (id: string) => sql('select 1 from screening_question where user_id = $1', id);
  const isListed = async (email: string) =>
    (await get(`${ADMIN_USERS}/search?email=${email}`)).data.users.length === 1;

  it('is in no list, report, export and announcement, and makes no event and no screening [SEC-494]', async () => {
    const reader = new FeedReader(platform, admin);
    await reader.readNew();
    const before = await usersEverywhere();
    const email = newEmail();
    const id = await adminWithAccount(email);
    // Two more admins sign in for the first time: by the identity provider and by a password.
    await platform.given.admin('support');
    await platform.as(null).post('/api/admin/auth/login', {
      email: 'operator@example.com',
      password: 'sandbox-password',
    });
    expect(await usersEverywhere()).toEqual(before);
    expect(await isListed(email)).toBe(false);
    expect((await get(`${ADMIN_USERS}?userId=${id}`)).data).toEqual([]);
    expect(await createdEvents(reader, id)).toBe(0);
    expect(await screeningQuestions(id)).toEqual([]);
  });

  it('is shown by its id, which the audit log names, because a security hold can be ended there', async () => {
    const email = newEmail();
    const id = await adminWithAccount(email);
    await signInAsStranger(platform, { email });
    const { data } = await get('/api/admin/audit?action=admin.new-identity');
    const { userId } = data.find(({ subjectId }: { subjectId: string }) => subjectId === email).after;
    expect(userId).toBe(id);
    expect((await get(`${ADMIN_USERS}/${id}`)).data).toMatchObject({
      email,
      role: 'admin',
      hold: { reason: 'new-identity' },
    });
  });

  it('leaves the lists and reports if it was the account of a user before ADMINS_FILE listed the address', async () => {
    const before = await usersEverywhere();
    const { email } = await listedUser();
    expect(await isListed(email)).toBe(true);
    await correctAccounts();
    expect(await usersEverywhere()).toEqual(before);
    await correctAccounts();
    expect(await usersEverywhere()).toEqual(before);
  });

  it('becomes the account of a user once when a former admin signs in, even by concurrent sign-ins', async () => {
    const email = newEmail();
    const id = await adminWithAccount(email);
    await removeAdmin(platform, email);
    await correctAccounts();
    expect(await isListed(email)).toBe(false); // the owner has not signed in as a user yet
    const reader = new FeedReader(platform, admin);
    await reader.readNew();
    const { total } = (await usersEverywhere()) as { total: number };
    const signedIn = await Promise.all(Array.from({ length: 4 }, () => signIn(email)));
    expect(signedIn.map(({ isAdmin, user }) => [isAdmin, user.id])).toEqual(Array(4).fill([false, id]));
    expect(await usersEverywhere()).toMatchObject({
      total: total + 1,
      basic: total + 1,
      stats: { total: total + 1 },
      report: { summary: { totalUsers: total + 1 } },
      recipients: total + 1,
    });
    expect(await isListed(email)).toBe(true);
    expect(await createdEvents(reader, id)).toBe(1);
    expect(await screeningQuestions(id)).toHaveLength(1);
  });

  it('is in the lists while it owns money, whatever its row says [SEC-493]', async () => {
    const owner = await platform.given.user().withBalance('10.00');
    await sql('update platform_user set is_admin = true where id = $1', owner.id);
    expect(await isListed(owner.email)).toBe(false);
    await correctAccounts();
    expect(await isListed(owner.email)).toBe(true);

    const listed = await listedUser();
    await correctAccounts();
    expect(await isListed(listed.email)).toBe(false);
    await platform.given.deposit(listed.id, '10.00');
    await correctAccounts();
    expect(await isListed(listed.email)).toBe(true);
    await signIn(listed.email);
    expect(await isListed(listed.email)).toBe(true);
  });
});

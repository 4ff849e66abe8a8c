import { randomUUID } from 'node:crypto';
import { ADMIN_USERS } from '../../fixtures/admin-users.js';
import { ScreeningSteps } from '../../fixtures/screening.js';
import { withdrawalSteps, type WithdrawalSteps } from '../../fixtures/withdrawals.js';
import { eventually } from '../../harness/eventually.js';
import { sendRequest } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const RESULTS = ['clear', 'review', 'blocked', 'not_checked'] as const;

describe('Users by their screening', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let screening: ScreeningSteps;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { FOUR_EYES: 'off' }, screening: true });
    steps = await withdrawalSteps(platform);
    screening = new ScreeningSteps(platform, steps);
  });
  afterAll(() => platform?.stop());

  const list = (query: string) => platform.as(steps.admin).get(`${ADMIN_USERS}?limit=100&${query}`);
  const idsOf = async (result: (typeof RESULTS)[number]): Promise<string[]> => {
    const { status, data } = await list(`screening=${result}`);
    expect(status).toBe(200);
    return data.map(({ id }: { id: string }) => id);
  };
  /** The results whose filter selects the user. */
  const resultsOf = async (id: string) => {
    const selecting: string[] = [];
    for (const result of RESULTS) if ((await idsOf(result)).includes(id)) selecting.push(result);
    return selecting;
  };
  const alertsAbout = async (userId: string, status: 'open' | 'resolved') => {
    const { data } = await platform.as(steps.admin).get(`/api/admin/alerts?status=${status}&limit=100`);
    return data.filter(
      ({ kind, subject }: any) => kind === 'screening-review' && subject.id === userId,
    ) as any[];
  };

  it.each(['clear', 'review', 'blocked'] as const)(
    'are listed as %s by the newest verdict',
    async (verdict) => {
      const { id } = await screening.user(verdict);
      await eventually(async () => expect(await resultsOf(id)).toEqual([verdict]));
    },
  );

  it('are not_checked before the first verdict, and after a change of the e-mail address', async () => {
    const ann = await screening.user('review');
    await eventually(async () => expect(await resultsOf(ann.id)).toEqual(['review']));
    const bob = await screening.withProviderFault('error', async () => {
      const email = `${randomUUID()}@example.org`;
      const reply = await platform.as(steps.admin).put(`${ADMIN_USERS}/${ann.id}`, { email });
      expect(reply.status).toBe(200);
      const user = await screening.user();
      for (const { id } of [ann, user]) expect(await resultsOf(id)).toEqual(['not_checked']);
      return user;
    });
    await screening.answerAllQuestions();
    for (const { id } of [ann, bob]) expect(await resultsOf(id)).toEqual(['clear']);
  });

  it('are each in exactly one of the four lists, and the CSV file of a list has the same users', async () => {
    await screening.user('review');
    await screening.answerAllQuestions(); // no verdict changes between the requests
    const ids = (await Promise.all(RESULTS.map(idsOf))).flat();
    const { data } = await list('screening=all');
    const { body } = await list('screening=review');
    expect(body.pagination.total).toBe(body.data.length);
    expect(body.summary.totalUsers).toBe(body.data.length);
    expect(ids.sort()).toEqual(data.map(({ id }: { id: string }) => id).sort());
    const path = `${platform.baseUrl}${ADMIN_USERS}?format=csv&screening=review`;
    const { text } = await sendRequest(path, { headers: { authorization: `Bearer ${steps.admin.token}` } });
    const lines = text.trimEnd().split('\r\n').slice(1);
    expect(lines.map((line) => line.split(',')[0]).sort()).toEqual((await idsOf('review')).sort());
    expect(await list('screening=pending')).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
  });

  it('raise an alert when they need a review, which another verdict or the acceptance resolves', async () => {
    const ann = await screening.user('review');
    const bob = await screening.user('review');
    for (const { id } of [ann, bob])
      await eventually(async () => expect(await alertsAbout(id, 'open')).toHaveLength(1));
    const [alert] = await alertsAbout(ann.id, 'open');
    expect(alert).toMatchObject({ subject: { type: 'user' }, message: expect.stringContaining('review') });

    expect((await screening.acceptForUser(ann.id)).status).toBe(200);
    expect(await alertsAbout(ann.id, 'open')).toEqual([]);
    expect(await alertsAbout(ann.id, 'resolved')).toMatchObject([{ id: alert.id, resolvedBy: 'system' }]);

    screening.setRule(bob.email, 'clear');
    const id = await screening.withdrawal(bob);
    await screening.expireVerdicts(bob.id);
    expect((await steps.take(id)).status).toBe(200); // asks for a new verdict
    expect(await alertsAbout(bob.id, 'open')).toEqual([]);
    expect(await alertsAbout(bob.id, 'resolved')).toHaveLength(1);

    screening.setRule(bob.email, 'review');
    const next = await screening.withdrawal(bob);
    await screening.expireVerdicts(bob.id);
    expect((await steps.take(next)).code).toBe('INVALID_STATE');
    expect(await alertsAbout(bob.id, 'open')).toHaveLength(1);
  });

  it('raise no alert about a review when they are clear or blocked', async () => {
    for (const verdict of ['clear', 'blocked'] as const) {
      const { id } = await screening.user(verdict);
      await eventually(async () => expect(await resultsOf(id)).toEqual([verdict]));
      expect(await alertsAbout(id, 'open')).toEqual([]);
    }
  });
});

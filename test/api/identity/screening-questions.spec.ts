import type { TestUser } from '../../fixtures/given.js';
import { freshAddress, ScreeningSteps } from '../../fixtures/screening.js';
import { ADMIN_WITHDRAWALS, withdrawalSteps, type WithdrawalSteps } from '../../fixtures/withdrawals.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

/** Questions per user and day about addresses that come into the address book. */
const BOOK_QUESTIONS = 10;

describe('The screening provider', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let screening: ScreeningSteps;

  beforeAll(async () => {
    platform = await startPlatform({ screening: true });
    steps = await withdrawalSteps(platform);
    screening = new ScreeningSteps(platform, steps);
  });
  afterAll(() => platform?.stop());

  /** The number of questions about the address, after the job has asked all queued ones. */
  async function questionsAbout(address: string): Promise<number> {
    await screening.answerAllQuestions();
    return screening.countQuestions(address);
  }
  const add = (user: TestUser, address: string) =>
    platform.as(user).post('/api/user/addresses', { label: 'Safe', address, network: 'ERC20' });
  const cancel = (user: TestUser, id: string) => platform.as(user).post(`/api/user/withdrawals/${id}/cancel`);

  it('is not asked about withdrawals that are requested, listed and cancelled [SEC-334]', async () => {
    const ann = await screening.user();
    for (let count = 0; count < 3; count++) {
      const toAddress = freshAddress();
      const id = await screening.unopenedWithdrawal(ann, toAddress);
      for (const list of [ADMIN_WITHDRAWALS, `${ADMIN_WITHDRAWALS}/pending`])
        expect((await platform.as(steps.admin).get(list)).status).toBe(200);
      expect((await cancel(ann, id)).status).toBe(200);
      await steps.detail(id); // an operator opens it afterwards
      expect(await questionsAbout(toAddress)).toBe(0);
    }
  });

  it('is asked once about the address of a withdrawal that operators open, approve and execute', async () => {
    const ann = await screening.user();
    const toAddress = freshAddress();
    const id = await screening.unopenedWithdrawal(ann, toAddress);
    expect(await questionsAbout(toAddress)).toBe(0);
    await steps.detail(id);
    await screening.postponeQuestions(); // an answer that arrives during a further reading could be followed by a second question
    for (let count = 0; count < 2; count++) await steps.detail(id);
    expect(await questionsAbout(toAddress)).toBe(1);
    expect((await steps.detail(id)).complianceChecks).toMatchObject({ amlChecks: 'clear' });
    expect((await steps.approve(id)).status).toBe(200);
    expect((await steps.execute(id)).status).toBe(200);
    await steps.detail(id);
    expect(await questionsAbout(toAddress)).toBe(1);
  });

  it.each(['take', 'approve'] as const)(
    'is asked about the address when an operator calls %s for a withdrawal that was not opened',
    async (verb) => {
      const ann = await screening.user();
      const toAddress = freshAddress();
      const id = await screening.unopenedWithdrawal(ann, toAddress);
      expect(await questionsAbout(toAddress)).toBe(0);
      expect((await steps[verb](id)).status).toBe(200);
      expect(await questionsAbout(toAddress)).toBe(1);
    },
  );

  it('does not delay an operator who opens a withdrawal while it does not answer', async () => {
    const ann = await screening.user();
    const toAddress = freshAddress();
    await screening.answerAllQuestions();
    const id = await screening.unopenedWithdrawal(ann, toAddress);
    await screening.withProviderFault('timeout', async () =>
      expect((await steps.detail(id)).complianceChecks).toMatchObject({ amlChecks: 'pending' }),
    );
    expect(await questionsAbout(toAddress)).toBe(1);
  });

  it('is asked when a withdrawal is taken whose address could not be queued when it was opened', async () => {
    const ann = await screening.user();
    const toAddress = freshAddress();
    const id = await screening.unopenedWithdrawal(ann, toAddress);
    await platform.dataSource.query(
      `alter table screening_question add constraint broken check (subject <> 'address:${toAddress}') not valid`,
    );
    expect((await steps.detail(id)).status).toBe('pending');
    await platform.dataSource.query('alter table screening_question drop constraint broken');
    expect((await steps.take(id)).status).toBe(200);
    expect(screening.countQuestions(toAddress)).toBe(1);
  });

  it('is asked when an address comes into an address book, and not again for a withdrawal to it', async () => {
    const ann = await screening.user();
    const eve = await screening.user();
    const address = freshAddress();
    expect((await add(ann, address)).status).toBe(201);
    expect(await questionsAbout(address)).toBe(1);
    expect((await add(ann, address)).status).toBe(200); // the book has it already
    expect((await add(eve, address)).status).toBe(201); // the verdict is fresh
    await screening.withdrawal(ann, address);
    expect(await questionsAbout(address)).toBe(1);
    await screening.expireVerdicts(address);
    expect((await add(ann, address)).status).toBe(200);
    expect(await questionsAbout(address)).toBe(1);
  });

  it('makes the platform refuse withdrawals to an address that was blocked when it came into the address book', async () => {
    const ann = await screening.user();
    const toAddress = freshAddress();
    screening.setRule(toAddress, 'blocked');
    expect((await add(ann, toAddress)).status).toBe(201);
    await screening.answerAllQuestions();
    const { status, code, body } = await steps.request(ann, '10.00', { toAddress });
    expect([status, code, body.error.details.screening]).toEqual([422, 'INVALID_STATE', 'blocked']);
  });

  it('is asked about at most ten new addresses of a user per day, and about another one when a withdrawal to it is opened [SEC-337]', async () => {
    const ann = await screening.user();
    const addresses = Array.from({ length: BOOK_QUESTIONS + 2 }, freshAddress);
    for (const address of addresses) {
      const { status, data } = await add(ann, address);
      expect(status).toBe(201);
      // The limit counts additions, also of addresses that the user removes again.
      await platform.as(ann).delete(`/api/user/addresses/${data.id}`);
    }
    await screening.answerAllQuestions();
    const counts = addresses.map((address) => screening.countQuestions(address));
    expect(counts).toEqual([...Array<number>(BOOK_QUESTIONS).fill(1), 0, 0]);
    const eve = await screening.user();
    const [eleventh, twelfth] = addresses.slice(BOOK_QUESTIONS) as [string, string];
    expect((await add(eve, twelfth)).status).toBe(201);
    expect(await questionsAbout(twelfth)).toBe(1); // the limit of another user
    await screening.withdrawal(ann, eleventh);
    expect(await questionsAbout(eleventh)).toBe(1);
  });
});

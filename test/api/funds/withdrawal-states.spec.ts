import type { TestUser } from '../../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { testEveryTransition } from '../../fixtures/state-table.js';
import { ADMIN_WITHDRAWALS, withdrawalSteps, type WithdrawalSteps } from '../../fixtures/withdrawals.js';

interface TestWithdrawal {
  id: string;
  ann: TestUser;
}

// Action → status before → status after. An action is refused in every other status.
const TRANSITIONS: Record<string, Record<string, string>> = {
  approve: { pending: 'approved' },
  take: { pending: 'processing', approved: 'processing' },
  execute: { approved: 'processing' },
  complete: { processing: 'completed' },
  reject: { pending: 'rejected', approved: 'rejected', processing: 'rejected' },
  cancel: { pending: 'rejected' },
  fail: { processing: 'failed' },
  return: { processing: 'pending' },
};

describe('A withdrawal, every action in every state:', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { DEPOSIT_POLL_SECONDS: '3600' } });
    steps = await withdrawalSteps(platform);
  });
  afterAll(() => platform?.stop());

  const createAfter = async (
    ...actions: ((id: string, ann: TestUser) => Promise<unknown>)[]
  ): Promise<TestWithdrawal> => {
    const withdrawal = await steps.createPending();
    for (const action of actions) await action(withdrawal.id, withdrawal.ann);
    return withdrawal;
  };
  const take = (id: string) => steps.take(id);
  const complete = (id: string) => steps.complete(id);
  const fail = (id: string) => steps.fail(id);
  const createIn = {
    pending: () => createAfter(),
    approved: () => createAfter((id) => steps.approve(id)),
    processing: () => createAfter(take),
    completed: () => createAfter(take, complete),
    rejected: () => createAfter((id) => steps.reject(id)),
    failed: () => createAfter(take, fail),
  };
  const stateOf = async ({ id }: TestWithdrawal) => (await steps.detail(id)).status as string;

  testEveryTransition<TestWithdrawal>({
    platform: () => platform,
    createInState: createIn,
    verbs: {
      approve: ({ id }) => steps.approve(id),
      take: ({ id }) => steps.take(id),
      execute: ({ id }) => steps.execute(id),
      complete: ({ id }) => steps.complete(id),
      reject: ({ id }) => steps.reject(id),
      cancel: ({ id, ann }) => steps.cancel(id, ann),
      fail: ({ id }) => steps.failByHand(id),
      return: ({ id }) => steps.return(id),
    },
    transitions: TRANSITIONS,
    stateOf,
  });

  it.each(Object.entries(createIn))(
    'a bulk-take of one in the state %s has the result of a take',
    async (state, create) => {
      const withdrawal = await create();
      const reply = await platform
        .as(steps.admin)
        .post(`${ADMIN_WITHDRAWALS}/bulk-take`, { ids: [withdrawal.id] });
      const next = TRANSITIONS.take?.[state];
      expect(reply.data).toEqual(
        next
          ? { taken: [withdrawal.id], failed: [] }
          : {
              taken: [],
              failed: [{ id: withdrawal.id, code: 'INVALID_STATE', message: expect.any(String) }],
            },
      );
      expect(await stateOf(withdrawal)).toBe(next ?? state);
    },
  );
});

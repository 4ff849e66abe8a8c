import type { Reply } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';

describe('An admin transaction', () => {
  let platform: TestPlatform;
  let steps: TreasurySteps;

  beforeAll(async () => {
    platform = await startPlatform();
    steps = await treasurySteps(platform);
  });
  afterAll(() => platform?.stop());

  const bringTo: Record<string, (id: string) => Promise<unknown>> = {
    pending: () => Promise.resolve(),
    processing: (id) => steps.approve(id),
    confirmed: async (id) => {
      await steps.approve(id);
      await steps.confirm(id);
    },
    failed: (id) => steps.reject(id),
  };
  const actions: Record<string, (id: string) => Promise<Reply>> = {
    approve: (id) => steps.approve(id),
    confirm: (id) => steps.confirm(id),
    reject: (id) => steps.reject(id),
  };
  // action → status before → status after. All other combinations are refused with INVALID_STATE.
  const transitions: Record<string, Record<string, string>> = {
    approve: { pending: 'processing' },
    confirm: { processing: 'confirmed' },
    reject: { pending: 'failed', processing: 'failed' },
  };
  const requests: Record<string, () => Promise<object>> = {
    deposit: async () => ({ type: 'deposit', userId: (await platform.given.user()).id }),
    withdrawal: async () => ({
      type: 'withdrawal',
      userId: (await platform.given.user().withBalance('100.00')).id,
    }),
    transfer: async () => ({ type: 'transfer' }),
    reversal: async () => ({
      type: 'reversal',
      withdrawalId: (await steps.failedWithdrawal()).withdrawalId,
    }),
  };
  const cases = Object.keys(requests).flatMap((type) =>
    Object.keys(actions).flatMap((action) =>
      Object.keys(bringTo).map((status) => {
        const newStatus = transitions[action]![status];
        const outcome = newStatus ? `is set to ${newStatus}` : 'is not changed';
        return [type, status, outcome, action, newStatus] as const;
      }),
    ),
  );

  it.each(cases)(
    'of type %s with the status %s %s by the action %s [SEC-055]',
    async (type, status, _outcome, action, newStatus) => {
      const { id } = (await steps.create(await requests[type]!())).data;
      await bringTo[status]!(id);
      expect((await steps.detail(id)).status).toBe(status);
      const before = await platform.ledgerState();
      const reply = await actions[action]!(id);

      if (newStatus) {
        expect(reply).toMatchObject({ status: 200, data: { id, status: newStatus } });
      } else {
        expect(reply).toMatchObject({ status: 422, code: 'INVALID_STATE' });
        const allowedFrom = Object.keys(transitions[action]!);
        expect(reply.body.error.details).toEqual({ status, action, allowedFrom });
      }
      const after = await platform.ledgerState();
      if (newStatus === 'confirmed') expect(after).not.toEqual(before);
      else expect(after).toEqual(before);
      expect((await steps.detail(id)).status).toBe(newStatus ?? status);
    },
  );
});

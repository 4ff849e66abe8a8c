import type { Reply } from '../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { treasurySteps, type TreasurySteps } from '../fixtures/treasury.js';

describe('Admin transactions', () => {
  let platform: TestPlatform;
  let steps: TreasurySteps;

  beforeAll(async () => {
    platform = await startPlatform();
    steps = await treasurySteps(platform);
  });
  afterAll(() => platform.stop());

  describe('every action in every state', () => {
    const reach: Record<string, (id: string) => Promise<unknown>> = {
      pending: () => Promise.resolve(),
      processing: (id) => steps.approve(id),
      confirmed: async (id) => {
        await steps.approve(id);
        await steps.confirm(id);
      },
      failed: (id) => steps.reject(id),
    };
    const verbs: Record<string, (id: string) => Promise<Reply>> = {
      approve: (id) => steps.approve(id),
      confirm: (id) => steps.confirm(id),
      reject: (id) => steps.reject(id),
    };
    // Combinations that are not listed are rejected.
    const leadsTo: Record<string, Record<string, string>> = {
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
      Object.keys(verbs).flatMap((verb) => Object.keys(reach).map((status) => [verb, type, status] as const)),
    );

    it.each(cases)('%s of a %s in the state %s [SEC-055]', async (verb, type, status) => {
      const { id } = (await steps.create(await requests[type]!())).data;
      await reach[status]!(id);
      expect((await steps.detail(id)).status).toBe(status);
      const before = await platform.ledgerState();
      const reply = await verbs[verb]!(id);

      const next = leadsTo[verb]![status];
      if (next) {
        expect(reply).toMatchObject({ status: 200, data: { id, status: next } });
      } else {
        expect(reply).toMatchObject({ status: 422, code: 'INVALID_STATE' });
        const allowedFrom = Object.keys(leadsTo[verb]!);
        expect(reply.body.error.details).toEqual({ status, action: verb, allowedFrom });
      }
      if (next !== 'confirmed') expect(await platform.ledgerState()).toEqual(before);
      else expect(await platform.ledgerState()).not.toEqual(before);
      expect((await steps.detail(id)).status).toBe(next ?? status);
    });
  });
});

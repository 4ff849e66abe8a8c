import type { Address } from 'viem';
import { HOUR_MS } from '../../../src/common/durations.js';
import { SANDBOX_SETTINGS } from '../../../src/sandbox/sandbox-settings.js';
import type { Reply } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { listAdmin } from '../../fixtures/listed-admins.js';
import { TRANSACTION_REQUESTS, treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';
import { UNKNOWN_ID, unknownHash } from '../../fixtures/withdrawals.js';

const CUSTODY = SANDBOX_SETTINGS.CUSTODY_ADDRESS;
const ELSEWHERE: Address = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';

describe('Transaction requests', () => {
  let platform: TestPlatform;
  let steps: TreasurySteps;

  beforeAll(async () => {
    platform = await startPlatform();
    steps = await treasurySteps(platform);
    await listAdmin(platform, 'disabled@example.com', ['admin'], { status: 'disabled' });
  });
  afterAll(() => platform?.stop());

  const pay = (to: Address, amount: string) => platform.outside.chain.payUsdc(to, amount);
  const recheck = () => platform.runJob('treasury-chain-checks');

  it('are created for approved transfers once, and completing one confirms and posts the transfer', async () => {
    const unapproved = (await steps.create({ type: 'transfer' })).data.id;
    const id = await steps.createApproved({ type: 'transfer', amount: '250.00' });
    const executed = await steps.execute({ assignedTo: 'Admin@example.com' });
    expect(executed.status).toBe(200);
    expect(executed.data.requests).toEqual([
      {
        id: expect.any(String),
        type: 'sweep', // a transfer by hand goes into custody
        status: 'pending',
        amount: '250.00',
        currency: 'USDC',
        network: 'ERC20',
        from: 'crypto2b',
        to: 'custody',
        toAddress: CUSTODY,
        strategyId: null,
        transactionId: id,
        requestedBy: 'admin@example.com',
        assignedTo: 'admin@example.com',
        completedBy: null,
        txHash: null,
        chainCheck: null,
        note: null,
        createdAt: platform.clock.now().toISOString(),
        completedAt: null,
      },
    ]);
    expect((await steps.execute()).data.requests).toEqual([]); // the other transfer is not approved
    expect((await steps.detail(unapproved)).status).toBe('pending');

    const [request] = executed.data.requests;
    const custody = await steps.platformBalance('asset.custody');
    const txHash = await pay(CUSTODY, '250.00');
    platform.clock.advance(HOUR_MS);
    const done = await steps.complete(request.id, txHash, { note: 'Paid from the hot wallet' }, steps.admin2);
    expect(done).toMatchObject({ status: 200 });
    expect(done.data).toEqual({
      ...request,
      status: 'completed',
      completedBy: 'admin2@example.com', // any admin with the permission may complete it
      txHash,
      chainCheck: 'matched',
      note: 'Paid from the hot wallet',
      completedAt: platform.clock.now().toISOString(),
    });
    expect(await steps.detail(id)).toMatchObject({
      status: 'confirmed',
      transactionHash: txHash,
      blockNumber: expect.any(Number),
      gasUsed: expect.stringMatching(/^\d{5}$/),
      gasPrice: expect.stringMatching(/^\d/),
      byAdmins: { confirmedBy: 'admin2@example.com', chainCheck: 'matched', requestId: request.id },
    });
    expect(Number(await steps.platformBalance('asset.custody'))).toBe(Number(custody) + 250);
    expect(await steps.auditEntries(request.id)).toEqual(['admin2@example.com transaction-request.complete']);
  });

  it.each(['nobody@example.org', 'operator@example.com', 'support@example.com', 'disabled@example.com'])(
    'are not assigned to %s, who lacks the permission to complete them',
    async (assignedTo) => {
      const { requestId } = await steps.transferWithRequest();
      for (const reply of [await steps.execute({ assignedTo }), await steps.assign(requestId, assignedTo)]) {
        expect(reply).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
        expect(reply.body.error.details.fields).toMatchObject([{ field: 'assignedTo' }]);
      }
      expect(await steps.auditEntries(requestId)).toEqual([]);
    },
  );

  it('can be assigned to an operator with an additional permission in ADMINS_FILE, who completes them', async () => {
    await listAdmin(platform, 'payer@example.com', ['operator'], { permissions: ['transactions:write'] });
    const payer = await platform.given.admin('payer');
    const { requestId } = await steps.transferWithRequest();
    expect(await steps.assign(requestId, 'Payer@example.com')).toMatchObject({
      status: 200,
      data: { id: requestId, status: 'pending', assignedTo: 'payer@example.com', completedBy: null },
    });
    expect(await steps.complete(requestId, unknownHash(), {}, payer)).toMatchObject({
      status: 200,
      data: { assignedTo: 'payer@example.com', completedBy: 'payer@example.com' },
    });
    expect(await steps.auditEntries(requestId)).toEqual([
      'admin@example.com transaction-request.assign',
      'payer@example.com transaction-request.complete',
    ]);
  });

  it.each([
    [undefined, 'MISSING_REQUIRED_FIELD'],
    [null, 'VALIDATION_ERROR'],
    ['', 'VALIDATION_ERROR'],
    [17, 'VALIDATION_ERROR'],
  ])('reject the assignee %p with %s', async (assignedTo, code) => {
    const { requestId } = await steps.transferWithRequest();
    const reply = await platform
      .as(steps.admin)
      .put(`${TRANSACTION_REQUESTS}/${requestId}/assign`, { assignedTo });
    expect(reply).toMatchObject({ status: 400, code });
  });

  it('are assigned to the admin who completes them if they were unassigned', async () => {
    const { requestId } = await steps.transferWithRequest();
    expect((await steps.complete(requestId, undefined, {}, steps.admin2)).data.assignedTo).toBe(
      'admin2@example.com',
    );
  });

  it('are the only way to confirm their transfer, and are rejected together with it', async () => {
    const { id, requestId } = await steps.transferWithRequest();
    const before = await platform.ledgerState();
    expect(await steps.confirm(id)).toMatchObject({ status: 422, code: 'INVALID_STATE' });
    expect(await platform.ledgerState()).toEqual(before);
    await steps.reject(id);
    expect((await steps.requests('&status=rejected')).map((row: any) => row.id)).toContain(requestId);
    expect((await steps.execute()).data.requests).toEqual([]);
  });

  describe('in the state', () => {
    const bringToState: Record<string, (transfer: { id: string; requestId: string }) => Promise<unknown>> = {
      pending: () => Promise.resolve(),
      completed: ({ requestId }) => steps.complete(requestId),
      rejected: ({ id }) => steps.reject(id),
    };
    const verbs: Record<string, (transfer: { id: string; requestId: string }) => Promise<Reply>> = {
      complete: ({ requestId }) => steps.complete(requestId),
      assign: ({ requestId }) => steps.assign(requestId),
      reject: ({ id }) => steps.reject(id), // of the transfer, which rejects the request
    };
    const leadsTo: Record<string, string> = { complete: 'completed', assign: 'pending', reject: 'rejected' };
    const cases = Object.keys(bringToState).flatMap((status) =>
      Object.keys(verbs).map((verb) => [status, status === 'pending' ? 'accept' : 'refuse', verb] as const),
    );

    it.each(cases)('%s %s the action %s', async (status, _outcome, verb) => {
      const transfer = await steps.transferWithRequest();
      await bringToState[status]!(transfer);
      const before = await platform.ledgerState();
      const reply = await verbs[verb]!(transfer);
      const [request] = (await steps.requests()).filter((row: any) => row.id === transfer.requestId);

      if (status === 'pending') {
        expect(reply.status).toBe(200);
        expect(request.status).toBe(leadsTo[verb]);
      } else {
        expect(reply).toMatchObject({ status: 422, code: 'INVALID_STATE' });
        expect(request.status).toBe(status);
        expect(await platform.ledgerState()).toEqual(before);
      }
    });
  });

  it.each([
    ['absent', undefined, 'MISSING_REQUIRED_FIELD'],
    ['blank', ' ', 'VALIDATION_ERROR'],
    ['a number', 17, 'VALIDATION_ERROR'],
  ])('reject a hash that is %s', async (_, txHash, code) => {
    const { requestId } = await steps.transferWithRequest();
    const reply = await platform
      .as(steps.admin)
      .post(`${TRANSACTION_REQUESTS}/${requestId}/complete`, { txHash });
    expect(reply).toMatchObject({ status: 400, code });
  });

  it('are not completed with a hash that is already in use', async () => {
    const [first, second] = [await steps.transferWithRequest(), await steps.transferWithRequest()];
    const hash = unknownHash();
    await steps.complete(first.requestId, hash);
    const duplicate = await steps.complete(second.requestId, hash);
    expect(duplicate).toMatchObject({ status: 409, code: 'DUPLICATE_TX_HASH' });
    expect(duplicate.body.error.details).toEqual({ transactionId: first.id });
    expect((await steps.complete(second.requestId)).status).toBe(200);
  });

  it.each([UNKNOWN_ID, 'not-a-uuid'])('answer 404 for the unknown id %s', async (id) => {
    for (const reply of [await steps.complete(id), await steps.assign(id)])
      expect(reply).toMatchObject({ status: 404, code: 'TRANSACTION_NOT_FOUND' });
  });

  describe('have a chain check that', () => {
    it('is a mismatch if the amount or the destination differs', async () => {
      const [short, misdirected] = [
        await steps.transferWithRequest('70.00'),
        await steps.transferWithRequest('71.00'),
      ];
      expect((await steps.complete(short.requestId, await pay(CUSTODY, '69.999999'))).data.chainCheck).toBe(
        'mismatch',
      );
      expect(
        (await steps.complete(misdirected.requestId, await pay(ELSEWHERE, '71.00'))).data.chainCheck,
      ).toBe('mismatch');
    });

    it('is repeated while the chain is unavailable, and is a mismatch for a hash that is unknown for an hour', async () => {
      const [delayed, unknown] = [
        await steps.transferWithRequest('72.00'),
        await steps.transferWithRequest('73.00'),
      ];
      const txHash = await pay(CUSTODY, '72.00');
      platform.outside.providers.faults.set('chain', 'error');
      expect((await steps.complete(delayed.requestId, txHash)).data).toMatchObject({
        status: 'completed',
        chainCheck: 'unverified',
      });
      await platform.outside.providers.endFault('chain');
      expect((await steps.complete(unknown.requestId)).data.chainCheck).toBe('unverified');
      platform.clock.advance(HOUR_MS - 1);
      await recheck();
      expect((await steps.detail(delayed.id)).byAdmins.chainCheck).toBe('matched');
      expect((await steps.detail(unknown.id)).byAdmins.chainCheck).toBe('unverified');
      platform.clock.advance(1);
      await recheck();
      expect((await steps.detail(unknown.id)).byAdmins.chainCheck).toBe('mismatch');
    });

    it('compares the payment of a deposit or withdrawal by hand with its amount and, if known, its address', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const path = '/api/user/deposits/address?currency=USDC&network=ERC20';
      const { address } = (await platform.as(ann).get(path)).data;
      const confirm = async (type: string, amount: string, to: Address) => {
        const id = await steps.createApproved({ type, userId: ann.id, amount });
        return (await steps.confirm(id, { transactionHash: await pay(to, amount) })).data.byAdmins.chainCheck;
      };
      expect(await confirm('deposit', '31.00', address)).toBe('matched');
      expect(await confirm('deposit', '32.00', ELSEWHERE)).toBe('mismatch');
      expect(await confirm('withdrawal', '33.00', ELSEWHERE)).toBe('unverified'); // the withdrawal names no address

      const id = await steps.createApproved({ type: 'withdrawal', userId: ann.id, amount: '34.00' });
      const wrongAmount = await pay(ELSEWHERE, '34.01');
      expect((await steps.confirm(id, { transactionHash: wrongAmount })).data.byAdmins.chainCheck).toBe(
        'mismatch',
      );
    });
  });

  describe('have a list that', () => {
    it('is paged, newest first, and filtered', async () => {
      let requestId = '';
      for (let count = 0; count < 4; count++) {
        platform.clock.advance(HOUR_MS);
        ({ requestId } = await steps.transferWithRequest());
      }
      await steps.complete(requestId);
      const secondPage = await platform.as(steps.admin).get(`${TRANSACTION_REQUESTS}?limit=2&page=2`);
      expect(secondPage.body.pagination).toMatchObject({ page: 2, limit: 2, hasPrevious: true });
      const rows = await steps.requests();
      expect(secondPage.data).toEqual(rows.slice(2, 4));
      const times = rows.map(({ createdAt }: any) => createdAt);
      expect(times).toEqual(times.toSorted().toReversed());
      for (const [query, isSelected] of [
        ['status=completed', (row: any) => row.status === 'completed'],
        ['type=sweep', (row: any) => row.type === 'sweep'],
        ['type=allocate', (row: any) => row.type === 'allocate'],
        ['assignedTo=Admin@example.com', (row: any) => row.assignedTo === 'admin@example.com'],
      ] as const) {
        expect(await steps.requests(`&${query}`)).toEqual(rows.filter(isSelected));
      }
    });

    it.each([
      ['page=0', 'INVALID_PAGINATION'],
      ['limit=101', 'INVALID_PAGINATION'],
      ['status=done', 'VALIDATION_ERROR'],
      ['type=gift', 'VALIDATION_ERROR'],
    ])('rejects ?%s with %s', async (query, code) => {
      expect(await platform.as(steps.admin).get(`${TRANSACTION_REQUESTS}?${query}`)).toMatchObject({
        status: 400,
        code,
      });
    });
  });
});

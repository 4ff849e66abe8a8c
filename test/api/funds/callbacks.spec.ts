import { SANDBOX_SETTINGS } from '../../../src/sandbox/sandbox-settings.js';
import { signedHeaders } from '../../../src/sandbox/signature.js';
import type { TestUser } from '../../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import {
  processDueCallbacks,
  depositBody,
  newHash,
  newProviderId,
  ProviderCallbacks,
  type DepositReport,
} from '../../fixtures/provider-callbacks.js';

describe('Of the provider callbacks,', () => {
  let platform: TestPlatform;
  let callbacks: ProviderCallbacks;

  beforeAll(async () => {
    // Neither the sandbox's deposit provider nor the poll reports deposits: the tests send all callbacks.
    platform = await startPlatform({ settings: { DEPOSIT_POLL_SECONDS: '3600' }, blockIntervalMs: 0 });
    callbacks = new ProviderCallbacks(platform);
  });
  afterAll(() => platform?.stop());

  const events = () =>
    platform.dataSource.query(
      'select kind, event_key, status, reason, attempts from webhook_event order by id',
    );
  const lastEvent = async () => (await events()).at(-1);
  const processCallbacks = () => processDueCallbacks(platform);
  const available = async (user: TestUser) =>
    (await platform.as(user).get('/api/user/balance')).data.available;
  const onlyDeposit = async (user: TestUser) => {
    const { data } = await platform.as(user).get('/api/user/deposits');
    expect(data).toHaveLength(1);
    return data[0];
  };

  async function userWithAddress(query = ''): Promise<{ user: TestUser; address: string }> {
    const user = await platform.given.user();
    const { data } = await platform.as(user).get(`/api/user/deposits/address${query}`);
    return { user, address: data.address };
  }

  describe('the authentication', () => {
    const PATH = `/api/webhooks/${SANDBOX_SETTINGS.DEPOSIT_PROVIDER_NAME}/deposit`;

    const CREDENTIALS = {
      key: SANDBOX_SETTINGS.DEPOSIT_PROVIDER_KEY,
      secret: SANDBOX_SETTINGS.DEPOSIT_PROVIDER_SECRET,
    };

    it.each([
      ['a wrong secret', { secret: Buffer.from('another secret altogether').toString('base64') }],
      ['a wrong key', { key: 'another-key' }],
      ['a time six seconds ago', { ageMs: 6000 }], // up to five seconds before or after the present are accepted
      ['a time six seconds ahead', { ageMs: -6000 }],
    ])('rejects %s and stores nothing [SEC-115]', async (_what, signing) => {
      const before = await events();
      const reply = await callbacks.send('deposit', depositBody({ address: 'T' }), signing);
      expect([reply.status, reply.code]).toEqual([401, 'WEBHOOK_SIGNATURE_INVALID']);
      expect(await events()).toEqual(before);
    });

    it.each([
      ['the body', (body: string) => body.replace('600', '6000'), PATH],
      ['the path', (body: string) => body, `${PATH}?x=1`],
      ['the kind', (body: string) => body, PATH.replace('deposit', 'withdrawal')],
    ])('rejects a signature if %s is not the signed one', async (_what, change, path) => {
      const before = await events();
      const body = depositBody({ address: 'T', amount: '600' });
      const headers = signedHeaders(CREDENTIALS, { method: 'POST', url: platform.baseUrl + PATH, body });
      const reply = await platform.as(null).post(path, change(body), { headers });
      expect([reply.status, reply.code]).toEqual([401, 'WEBHOOK_SIGNATURE_INVALID']);
      expect(await events()).toEqual(before);
    });

    it.each(['X-Processing-Key', 'X-Processing-Timestamp', 'X-Processing-Signature'])(
      'rejects a callback without the header %s',
      async (name) => {
        const body = depositBody({ address: 'T' });
        const headers = signedHeaders(CREDENTIALS, { method: 'POST', url: platform.baseUrl + PATH, body });
        delete headers[name];
        expect((await platform.as(null).post(PATH, body, { headers })).code).toBe(
          'WEBHOOK_SIGNATURE_INVALID',
        );
      },
    );

    it('answers 404 NOT_FOUND for unknown providers and for kinds of another provider', async () => {
      for (const path of [
        '/api/webhooks/other/deposit',
        '/api/webhooks/custody/deposit',
        '/api/webhooks/crypto2b/yield',
      ]) {
        const reply = await platform.as(null).post(path, depositBody({ address: 'T' }));
        expect([reply.status, reply.code]).toEqual([404, 'NOT_FOUND']);
      }
    });
  });

  describe('one', () => {
    it('is stored and processed once when it is sent several times', async () => {
      const { user, address } = await userWithAddress();
      const body = depositBody({ address, amount: '600' });
      const replies = await Promise.all(Array.from({ length: 10 }, () => callbacks.send('deposit', body)));
      expect(replies.every(({ status, data }) => status === 200 && data.received)).toBe(true);
      expect(replies.filter(({ data }) => !data.duplicate)).toHaveLength(1);
      await processCallbacks();
      expect(await available(user)).toBe('600.00');
      expect((await callbacks.send('deposit', body)).data).toEqual({ received: true, duplicate: true });
      await processCallbacks();
      expect(await available(user)).toBe('600.00');
      expect(await lastEvent()).toMatchObject({ status: 'processed', attempts: 1 });
    });

    it.each([
      'application/json;charset=utf8',
      'application/json; charset=iso-8859-1',
      'text/plain',
      'application/x-unknown',
      '',
    ])(
      'with the Content-Type %j is processed, since the signature covers the bytes of the body',
      async (type) => {
        const { user, address } = await userWithAddress();
        const body = depositBody({ address, amount: '600' });
        const reply = await callbacks.send('deposit', body, { headers: { 'content-type': type } });
        expect(reply.data).toEqual({ received: true, duplicate: false });
        await processCallbacks();
        expect(await available(user)).toBe('600.00');
      },
    );

    it.each([
      ['an unknown status', { status: 'Dreaming' }, 'ignored', 'the status Dreaming is not known'],
      ['an unknown network', { network: 'sol' }, 'ignored', 'the network SOL is not known'],
      ['an unknown currency', { currency: 'DOGE' }, 'ignored', 'DOGE cannot be deposited over TRC20'],
      ['no transaction yet', { hash: null }, 'ignored', 'there is no transaction yet'],
      [
        'an unknown address',
        { address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' },
        'ignored',
        'the deposit address belongs to no user of this platform',
      ],
      ['an amount of zero', { amount: '0' }, 'ignored', 'the amount is zero'],
      ['a negative amount', { amount: '-600' }, 'failed', 'the body is not a deposit'],
      ['an absurd amount', { amount: '1e99' }, 'failed', 'the body is not a deposit'],
      ['too many decimals', { amount: '600.0000000000000000001' }, 'failed', 'the body is not a deposit'],
      ['negative confirmations', { confirmations: -1 }, 'failed', 'the body is not a deposit'],
    ] as [string, Partial<DepositReport>, string, string][])(
      'with %s is stored and changes nothing',
      async (_what, changes, status, reason) => {
        const { user, address } = await userWithAddress();
        const before = await platform.ledgerState();
        await callbacks.reportDeposit({ address, ...changes });
        expect(await lastEvent()).toMatchObject({ status, reason });
        expect(await platform.ledgerState()).toEqual(before);
        expect((await platform.as(user).get('/api/user/deposits')).data).toEqual([]);
      },
    );

    it('that is malformed does not delay later ones', async () => {
      const { user, address } = await userWithAddress();
      await Promise.all([
        callbacks.send('deposit', '{"data": {"type": "Deposit", "id": [1]}}'),
        callbacks.send('deposit', '{"data": null}'),
        callbacks.send('deposit', depositBody({ address, amount: '700' })),
      ]);
      await processCallbacks();
      expect(await available(user)).toBe('700.00');
    });

    it('is retried with increasing delays while the chain is unavailable, without delaying other ones', async () => {
      const onChain = await userWithAddress('?currency=USDC&network=ERC20'); // verified on the chain
      const offChain = await userWithAddress(); // USDT over TRC20, which the platform does not verify
      const { faults } = platform.outside.providers;
      faults.set('chain', 'error');
      await callbacks.reportDeposit({
        ...onChain,
        currency: 'USDC',
        network: 'erc20',
        status: 'Pending',
        confirmations: 0,
      });
      await callbacks.reportDeposit({ ...offChain, amount: '800' });
      expect(await available(offChain.user)).toBe('800.00');
      const unprocessed = () =>
        platform.dataSource.query(
          `select attempts, extract(epoch from due_at - $1) as wait from webhook_event where status = 'received'`,
          [platform.clock.now()],
        );
      expect(await unprocessed()).toEqual([{ attempts: 1, wait: '1.000000' }]);
      await processCallbacks();
      expect(await unprocessed()).toEqual([{ attempts: 1, wait: '1.000000' }]); // not due yet
      platform.clock.advance(1000);
      await processCallbacks();
      expect(await unprocessed()).toEqual([{ attempts: 2, wait: '2.000000' }]);
      faults.clear('chain');
      platform.clock.advance(2000);
      await processCallbacks();
      expect(await unprocessed()).toEqual([]);
      expect(await onlyDeposit(onChain.user)).toMatchObject({ status: 'pending' });
    });
  });

  describe('several about one deposit', () => {
    const steps = [
      { status: 'Pending', confirmations: 0 },
      { status: 'Processing', confirmations: 7 },
      { status: 'Success', confirmations: 20 },
    ];
    const cases = permutations(steps).map((order) => {
      const statuses = order.map(({ status }) => status).join(', ');
      return [statuses, order] as const;
    });

    it.each(cases)('credit it once when they arrive, twice, in the order %s', async (_statuses, order) => {
      const { user, address } = await userWithAddress();
      const [id, hash] = [newProviderId(), newHash()];
      // Every report is sent again after the last one.
      for (const step of [...order, ...order])
        await callbacks.reportDeposit({ id, hash, address, amount: '600', ...step });
      expect(await onlyDeposit(user)).toMatchObject({
        status: 'completed',
        confirmations: 20,
        amount: '600.00',
      });
      expect(await available(user)).toBe('600.00');
    });

    it.each(['Failed', 'Rejected'])(
      'make it fail, and nothing is credited, if one has the status %s, in every order of their arrival',
      async (status) => {
        const admin = await platform.given.admin();
        for (const order of permutations([...steps.slice(0, 2), { status, confirmations: 7 }])) {
          const { user, address } = await userWithAddress();
          const before = await platform.ledgerState();
          const [id, hash] = [newProviderId(), newHash()];
          for (const step of order)
            await callbacks.reportDeposit({ id, hash, address, error: 'High risk', ...step });
          expect(await onlyDeposit(user)).toMatchObject({
            status: 'failed',
            confirmations: 7,
            metadata: { reason: 'The deposit provider refused the deposit.' },
          });
          const [shownToAdmins] = (await platform.as(admin).get(`/api/admin/deposits?userId=${user.id}`))
            .data;
          expect(shownToAdmins.metadata.reason).toBe('The deposit provider refused the deposit: High risk');
          expect(await platform.ledgerState()).toEqual(before);
        }
      },
    );
  });
});

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((first, index) =>
    permutations(items.toSpliced(index, 1)).map((others) => [first, ...others]),
  );
}

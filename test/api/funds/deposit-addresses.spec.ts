import { randomBytes } from 'node:crypto';
import { getAddress } from 'viem';
import { DepositProvider } from '../../../src/modules/funds/deposits/deposit-provider.client.js';
import { eventually } from '../../harness/eventually.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const PATH = '/api/user/deposits/address';
const LIMIT = 6; // requests of a user for new addresses in an hour
/** Currency, network, chain id, required confirmations, token contract. */
const COMBINATIONS = [
  ['USDT', 'TRC20', 728126428, 20, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
  ['USDC', 'TRC20', 728126428, 20, 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8'],
  ['USDT', 'ERC20', 31337, 12, '0xdAC17F958D2ee523a2206206994597C13D831ec7'],
  ['USDC', 'ERC20', 31337, 12, undefined], // the configured contract
  ['USDT', 'BEP20', 56, 15, '0x55d398326f99059fF775485246999027B3197955'],
  ['USDC', 'BEP20', 56, 15, '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d'],
] as const;

describe('GET /api/user/deposits/address', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { RATE_LIMIT_ADDRESS: String(LIMIT) }, blockIntervalMs: 0 });
  });
  afterEach(() => platform.outside.providers.faults.clear('deposit'));
  afterAll(() => platform?.stop());

  const storedAddresses = (userId: string) =>
    platform.dataSource.query('select address from deposit_address where user_id = $1', [userId]);

  it('returns an address for USDT over TRC20 by default, with a QR code', async () => {
    const user = await platform.given.user();
    const { data, status } = await platform.as(user).get(PATH);
    expect(status).toBe(200);
    expect(data).toEqual({
      address: expect.stringMatching(/^T[1-9A-HJ-NP-Za-km-z]{33}$/),
      currency: 'USDT',
      network: 'TRC20',
      chainId: 728126428,
      depositProviderName: 'crypto2b',
      depositProviderAddressId: expect.any(String),
      isExternal: true,
      qrCode: expect.stringMatching(/^data:image\/png;base64,iVBORw0KGgo/), // the signature of a PNG file
      contractAddress: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
      minimumDeposit: '500.00',
      estimatedConfirmations: 20,
      memo: null,
      expiresAt: null,
    });
  });

  it('returns a different permanent address for each currency and network', async () => {
    const user = await platform.given.user();
    const addresses = new Set<string>();
    for (const [currency, network, chainId, estimatedConfirmations, contract] of COMBINATIONS) {
      const path = `${PATH}?currency=${currency}&network=${network}`;
      const { data } = await platform.as(user).get(path);
      const contractAddress = contract ?? platform.outside.chain.usdcAddress;
      expect(data).toMatchObject({ currency, network, chainId, estimatedConfirmations, contractAddress });
      expect((await platform.as(user).get(path)).data.address).toBe(data.address);
      addresses.add(data.address);
    }
    expect(addresses.size).toBe(COMBINATIONS.length);
  });

  it('creates one address for six concurrent requests', async () => {
    const user = await platform.given.user();
    const replies = await Promise.all(
      Array.from({ length: LIMIT }, () => platform.as(user).get(`${PATH}?network=BEP20`)),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(LIMIT).fill(200));
    expect(new Set(replies.map(({ data }) => data.address)).size).toBe(1);
    expect(await storedAddresses(user.id)).toHaveLength(1);
  });

  describe('when the provider returns', () => {
    const provider = () => platform.app.get(DepositProvider);
    const newAddress = () => getAddress(`0x${randomBytes(20).toString('hex')}`);
    let realCreateAddress: DepositProvider['createAddress'];

    beforeEach(() => {
      realCreateAddress = provider().createAddress.bind(provider());
    });
    afterEach(() => {
      provider().createAddress = realCreateAddress;
    });

    it('several addresses for concurrent requests, one of them is stored and returned to all', async () => {
      let createdCount = 0;
      let continueAll: () => void = () => undefined;
      const twoCreated = new Promise<void>((resolve) => (continueAll = resolve)); // ensures that two requests overlap
      provider().createAddress = async () => {
        createdCount += 1;
        const id = String(createdCount);
        if (createdCount === 2) continueAll();
        await twoCreated;
        return { id, address: newAddress() };
      };
      const user = await platform.given.user();
      const path = `${PATH}?currency=USDC&network=ERC20`;
      const replies = await Promise.all(Array.from({ length: LIMIT }, () => platform.as(user).get(path)));
      expect(new Set(replies.map(({ data }) => data.address)).size).toBe(1);
      expect(await storedAddresses(user.id)).toEqual([{ address: replies[0]?.data.address }]);
    });

    it('an address of another user, the request is rejected', async () => {
      const address = newAddress();
      provider().createAddress = () => Promise.resolve({ id: '1', address });
      const ann = await platform.given.user();
      const bob = await platform.given.user();
      expect((await platform.as(ann).get(`${PATH}?network=BEP20`)).status).toBe(200);
      const refused = await platform.as(bob).get(`${PATH}?network=BEP20`);
      expect([refused.status, refused.code]).toEqual([503, 'CRYPTO2B_API_ERROR']);
      expect(await storedAddresses(bob.id)).toEqual([]);
    });

    it.each(['USDC', 'USDT'])(
      'the same address to two users concurrently, for USDC and for %s, one request is rejected',
      async (currency) => {
        const address = newAddress();
        provider().createAddress = () => Promise.resolve({ id: '1', address });
        const ann = await platform.given.user();
        const bob = await platform.given.user();
        const holder = platform.dataSource.createQueryRunner();
        await holder.startTransaction();
        await holder.query('lock table deposit_address in share mode'); // blocks inserts and not reads
        const replies = [
          platform.as(ann).get(`${PATH}?currency=USDC&network=BEP20`),
          platform.as(bob).get(`${PATH}?currency=${currency}&network=BEP20`),
        ];
        await eventually(async () => expect(await platform.dataSource.query(LOCK_WAITS)).toHaveLength(2));
        await holder.rollbackTransaction();
        await holder.release();
        const ordered = (await Promise.all(replies)).sort((a, b) => a.status - b.status);
        expect(ordered.map(({ status, code }) => code ?? status)).toEqual([200, 'CRYPTO2B_API_ERROR']);
        const owners = 'select user_id from deposit_address where address = $1';
        expect(await platform.dataSource.query(owners, [address])).toHaveLength(1);
      },
    );

    it.each([
      ['TRC20', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'],
      ['ERC20', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
      ['BEP20', '0x1234'],
    ])('for %s the invalid address %s, the request is rejected', async (network, address) => {
      provider().createAddress = () => Promise.resolve({ id: '1', address });
      const user = await platform.given.user();
      expect((await platform.as(user).get(`${PATH}?network=${network}`)).code).toBe('CRYPTO2B_API_ERROR');
      expect(await storedAddresses(user.id)).toEqual([]);
    });
  });

  it.each([
    ['?currency=EUR', 'CURRENCY_NOT_SUPPORTED', ['USDT', 'USDC']],
    ['?currency=ETH&network=ERC20', 'CURRENCY_NOT_SUPPORTED', ['USDT', 'USDC']],
    ['?currency=usdt', 'CURRENCY_NOT_SUPPORTED', ['USDT', 'USDC']],
    ['?currency=', 'CURRENCY_NOT_SUPPORTED', ['USDT', 'USDC']],
    ['?network=SOL', 'NETWORK_NOT_SUPPORTED', ['TRC20', 'ERC20', 'BEP20']],
    // A lookup in an object would find `toString`, which every object inherits.
    ['?network=toString', 'NETWORK_NOT_SUPPORTED', ['TRC20', 'ERC20', 'BEP20']],
  ])('rejects %s with %s', async (query, code, supported) => {
    const user = await platform.given.user();
    const reply = await platform.as(user).get(PATH + query);
    expect([reply.status, reply.code]).toEqual([400, code]);
    expect(reply.body.error.details).toEqual({ supported });
    expect(await storedAddresses(user.id)).toEqual([]);
  });

  it('rejects a repeated parameter', async () => {
    const reply = await platform.as(await platform.given.user()).get(`${PATH}?currency=USDT&currency=USDC`);
    expect([reply.status, reply.code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  it.each(['error', 'timeout'] as const)(
    'answers 503 while the provider fails (%s), but still returns stored addresses',
    async (mode) => {
      const user = await platform.given.user();
      const { data: before } = await platform.as(user).get(PATH);
      platform.outside.providers.faults.set('deposit', mode);
      const refused = await platform.as(user).get(`${PATH}?network=ERC20`);
      expect([refused.status, refused.code]).toEqual([503, 'CRYPTO2B_API_ERROR']);
      expect((await platform.as(user).get(PATH)).data).toEqual(before);
      platform.outside.providers.faults.clear('deposit');
      expect((await platform.as(user).get(`${PATH}?network=ERC20`)).status).toBe(200);
    },
  );

  it('counts requests for new addresses against the rate limit, also failed ones, but not requests for stored ones', async () => {
    const user = await platform.given.user();
    await platform.as(user).get(PATH); // the first request for a new address
    platform.outside.providers.faults.set('deposit', 'error');
    for (let request = 2; request <= LIMIT; request++) {
      expect((await platform.as(user).get(`${PATH}?network=BEP20`)).code).toBe('CRYPTO2B_API_ERROR');
    }
    platform.outside.providers.faults.clear('deposit');
    const refused = await platform.as(user).get(`${PATH}?network=BEP20`);
    expect([refused.status, refused.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000); // the limit is per hour
    expect((await platform.as(user).get(PATH)).status).toBe(200);
  });

  it('rejects anonymous callers', async () => {
    expect((await platform.as(null).get(PATH)).code).toBe('TOKEN_MISSING');
  });
});

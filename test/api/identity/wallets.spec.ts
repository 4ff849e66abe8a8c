import { Browser } from '../../harness/browser.js';
import { ChainFixtures } from '../../fixtures/chain-fixtures.js';
import { oneSecondLater } from '../../harness/current-sessions.js';
import type { TestUser } from '../../fixtures/given.js';
import { listAdmin } from '../../fixtures/listed-admins.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';
import { newWallet, WalletSteps } from '../../fixtures/wallets.js';

let platform: TestPlatform;
let walletSteps: WalletSteps;

beforeAll(async () => {
  platform = await startPlatform();
  walletSteps = new WalletSteps(platform);
});
afterAll(() => platform?.stop());

describe('Linking a wallet', () => {
  it('allows signing in with it and notifies the user', async () => {
    const { user, wallet } = await walletSteps.userWithWallet();
    expect((await walletSteps.check(wallet.address)).data.registered).toBe(true);
    const [notification] = (await platform.as(user).get('/api/user/notifications?type=security')).data;
    expect(notification).toMatchObject({ title: 'Wallet linked', priority: 'high' });
    expect(notification.message).toContain(wallet.address);

    const reply = await walletSteps.login(await walletSteps.signChallenge(wallet));
    expect(reply.status).toBe(200);
    expect(reply.body.message).toBe('Authentication successful');
    expect(reply.data).toMatchObject({
      expiresIn: 86400,
      tokenType: 'Bearer',
      isAdmin: false,
      user: { id: user.id, email: user.email },
    });
    expect((await platform.as(reply.data).get('/api/auth/user/profile')).data.id).toBe(user.id);
    const refreshed = await platform
      .as(null)
      .post('/api/auth/refresh', { refreshToken: reply.data.refreshToken });
    expect(refreshed.status).toBe(200);
  });

  it("shows the first wallet in the user's profile and in the admins' list of withdrawals", async () => {
    const user = await platform.given.user().withBalance('500.00');
    const shown = async () => (await platform.as(user).get('/api/user/profile')).data.walletAddress;
    expect(await shown()).toBeNull();
    const [first, second] = [newWallet(), newWallet()];
    await walletSteps.connect(user, await walletSteps.signChallenge(first));
    platform.clock.advance(1000);
    await walletSteps.connect(user, await walletSteps.signChallenge(second));
    expect(await shown()).toBe(first.address);

    const request = { amount: '10.00', currency: 'USDC', toAddress: second.address };
    await platform.as(user).post('/api/user/withdrawals', request);
    const admin = await platform.given.admin();
    const [listed] = (await platform.as(admin).get(`/api/admin/withdrawals?userId=${user.id}`)).data;
    expect(listed).toMatchObject({ walletAddress: first.address, destinationAddress: second.address });
  });

  it('a second time changes nothing and sends no further notification', async () => {
    const { user, wallet } = await walletSteps.userWithWallet();
    const reply = await walletSteps.connect(user, await walletSteps.signChallenge(wallet));
    expect(reply.data).toMatchObject({ address: wallet.address, networkId: 31337 });
    expect((await platform.as(user).get('/api/user/notifications?type=security')).body.pagination.total).toBe(
      1,
    );
  });

  it('of another user is rejected', async () => {
    const { wallet } = await walletSteps.userWithWallet();
    const other = await platform.given.user();
    const reply = await walletSteps.connect(other, await walletSteps.signChallenge(wallet));
    expect([reply.status, reply.code]).toEqual([403, 'FORBIDDEN']);
    expect(reply.body.error.message).toContain('another account');
  });

  it('by two users concurrently succeeds for one', async () => {
    const wallet = newWallet();
    const ann = await platform.given.user();
    const bob = await platform.given.user();
    const ofAnn = await walletSteps.signChallenge(wallet);
    const ofBob = await walletSteps.signChallenge(wallet);
    const replies = await Promise.all([walletSteps.connect(ann, ofAnn), walletSteps.connect(bob, ofBob)]);
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 403]);
  });

  it('is limited to ten per user, also concurrently', async () => {
    const user = await platform.given.user();
    const proofs = await Promise.all(
      Array.from({ length: 13 }, () => walletSteps.signChallenge(newWallet())),
    );
    const replies = await Promise.all(proofs.map((proof) => walletSteps.connect(user, proof)));
    const refused = replies.filter((reply) => reply.status !== 200);
    expect(refused.map((reply) => [reply.status, reply.code])).toEqual(
      Array(3).fill([400, 'VALIDATION_ERROR']), // 13 − 10
    );
  });

  it('rejects anonymous callers and admins [SEC-093]', async () => {
    const proof = await walletSteps.signChallenge(newWallet());
    expect((await platform.as(null).post('/api/auth/wallet/connect', proof)).code).toBe('TOKEN_MISSING');
    const admin = await platform.given.admin();
    expect((await platform.as(admin).post('/api/auth/wallet/connect', proof)).code).toBe('FORBIDDEN');
  });
});

describe('Registration with a wallet', () => {
  const newEmail = () => `wallet-${crypto.randomUUID()}@example.org`;

  it('creates a user with the e-mail address and the wallet', async () => {
    const wallet = newWallet();
    const email = newEmail();
    const reply = await walletSteps.register(email, await walletSteps.signChallenge(wallet));
    expect(reply.status).toBe(201);
    expect(reply.data.user.email).toBe(email);
    expect((await walletSteps.login(await walletSteps.signChallenge(wallet))).data.user.id).toBe(
      reply.data.user.id,
    );
  });

  it("requires the identity provider's JWT and a valid signature", async () => {
    const wallet = newWallet();
    const email = newEmail();
    const withoutJwt = await platform
      .as(null)
      .post('/api/auth/wallet/register', await walletSteps.signChallenge(wallet));
    expect([withoutJwt.status, withoutJwt.code]).toEqual([400, 'VALIDATION_ERROR']);
    const forged = await platform
      .as({ token: 'a.b.c' })
      .post('/api/auth/wallet/register', await walletSteps.signChallenge(wallet));
    expect([forged.status, forged.code]).toEqual([401, 'SUPABASE_JWT_INVALID']);
    const { message } = await walletSteps.signChallenge(wallet);
    const signature = await newWallet().signMessage({ message });
    expect((await walletSteps.register(email, { message, signature })).code).toBe('SIGNATURE_INVALID');
    const users = await platform.dataSource.query('select 1 from platform_user where email = $1', [email]);
    expect(users).toEqual([]);
  });

  it('creates no user when the wallet is linked to another user', async () => {
    const { wallet } = await walletSteps.userWithWallet();
    const email = newEmail();
    expect((await walletSteps.register(email, await walletSteps.signChallenge(wallet))).code).toBe(
      'FORBIDDEN',
    );
    const users = await platform.dataSource.query('select 1 from platform_user where email = $1', [email]);
    expect(users).toEqual([]);
  });

  it('rejects admins', async () => {
    const reply = await walletSteps.register(
      'admin@example.com',
      await walletSteps.signChallenge(newWallet()),
    );
    expect([reply.status, reply.code]).toEqual([403, 'FORBIDDEN']);
  });
});

describe('Sign-in with a wallet', () => {
  it('supports a cookie session, and its sessions end within a second after the suspension of the user', async () => {
    const { user, wallet } = await walletSteps.userWithWallet();
    const browser = new Browser(platform);
    const bearer = (await walletSteps.login(await walletSteps.signChallenge(wallet))).data;
    const reply = await browser.call('POST', '/api/auth/wallet/login', {
      ...(await walletSteps.signChallenge(wallet)),
      session: 'cookie',
    });
    browser.csrfToken = reply.data.csrfToken;
    expect(reply.data).not.toHaveProperty('token');
    expect((await browser.callAsPage('GET', '/api/user/balance')).status).toBe(200);
    await platform.dataSource.query(`update platform_user set status = 'suspended' where id = $1`, [user.id]);
    await oneSecondLater(async () => {
      expect((await browser.callAsPage('GET', '/api/user/balance')).code).toBe('FORBIDDEN');
      expect((await platform.as(bearer).get('/api/user/balance')).code).toBe('FORBIDDEN');
    });
    const again = await walletSteps.login(await walletSteps.signChallenge(wallet));
    expect([again.status, again.code]).toEqual([403, 'FORBIDDEN']);
  });

  it('from a new device notifies the user', async () => {
    const { user, wallet } = await walletSteps.userWithWallet();
    const body = await walletSteps.signChallenge(wallet);
    const headers = { 'user-agent': 'An unknown phone' };
    expect((await platform.as(null).post('/api/auth/wallet/login', body, { headers })).status).toBe(200);
    const [notification] = (await platform.as(user).get('/api/user/notifications?type=security')).data;
    expect(notification.message).toContain('An unknown phone');
  });

  it('is rejected for a wallet that is not linked', async () => {
    const reply = await walletSteps.login(await walletSteps.signChallenge(newWallet()));
    expect([reply.status, reply.code]).toEqual([404, 'USER_NOT_FOUND']);
  });

  it('is rejected when the user has become an admin [SEC-072]', async () => {
    const { user, wallet } = await walletSteps.userWithWallet();
    await listAdmin(platform, user.email);
    expect((await walletSteps.login(await walletSteps.signChallenge(wallet))).code).toBe('FORBIDDEN');
  });
});

describe('GET /api/balance/wallet', () => {
  const balancesOf = async (user: TestUser, baseUrl?: string) =>
    platform.as(user, baseUrl).get('/api/balance/wallet');

  it('returns the balances of the linked wallets on the chain', async () => {
    const { user, wallet } = await walletSteps.userWithWallet();
    const second = newWallet();
    platform.clock.advance(1000);
    await walletSteps.connect(user, await walletSteps.signChallenge(second));
    await platform.outside.chain.payUsdc(wallet.address, '12.345678');
    await new ChainFixtures(platform.outside.chain).payEther(wallet.address, '1.5000009');
    expect((await balancesOf(user)).data.wallets).toEqual([
      {
        id: expect.any(String),
        address: wallet.address,
        networkId: 31337,
        createdAt: expect.any(String),
        suspendedAt: null,
        usdc: '12.345678',
        eth: '1.50', // 1.5000009 rounded down to six decimals
      },
      {
        id: expect.any(String),
        address: second.address,
        networkId: 31337,
        createdAt: platform.clock.now().toISOString(),
        suspendedAt: null,
        usdc: '0.00',
        eth: '0.00',
      },
    ]);
  });

  it('returns an empty list to a user without wallets even if the node is unavailable, and 503 to one with a wallet', async () => {
    const userWithoutWallet = await platform.given.user();
    const { user: owner } = await walletSteps.userWithWallet();
    const withoutNode = await startReplica(platform, { RPC_URL: 'http://127.0.0.1:9' }); // where nothing listens
    expect((await balancesOf(userWithoutWallet, withoutNode)).data).toEqual({ wallets: [] });
    const reply = await balancesOf(owner, withoutNode);
    expect([reply.status, reply.code]).toEqual([503, 'BLOCKCHAIN_ERROR']);
  });
});

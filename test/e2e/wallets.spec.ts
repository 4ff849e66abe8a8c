import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { createSiweMessage, parseSiweMessage } from 'viem/siwe';
import { Browser } from '../support/browser.js';
import { ChainTricks } from '../support/chain-tricks.js';
import { eventually } from '../support/eventually.js';
import type { TestUser } from '../support/given.js';
import { startPlatform, type TestPlatform } from '../support/platform.js';
import { startReplica } from '../support/replica.js';

interface Proof {
  message: string;
  signature: string;
}

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.stop());

const newWallet = () => privateKeyToAccount(generatePrivateKey());
const check = async (address: string) =>
  (await platform.as(null).post('/api/auth/wallet/check', { address })).data;

/** What `wallet` signs for `address`, its own unless it is a contract. */
async function proofOf(
  wallet: PrivateKeyAccount,
  { address = wallet.address as string, change = (message: string) => message } = {},
): Promise<Proof> {
  const message = change((await check(address)).message);
  return { message, signature: await wallet.signMessage({ message }) };
}

const connect = (user: TestUser, proof: Proof) => platform.as(user).post('/api/auth/wallet/connect', proof);
const login = (proof: unknown) => platform.as(null).post('/api/auth/wallet/login', proof);
const register = async (email: string, proof: Proof) => {
  const jwt = await platform.outside.providers.identity.token({ email });
  return platform.as({ token: jwt }).post('/api/auth/wallet/register', proof);
};

async function userWithWallet(): Promise<{ user: TestUser; wallet: PrivateKeyAccount }> {
  const [user, wallet] = [await platform.given.user(), newWallet()];
  expect((await connect(user, await proofOf(wallet))).status).toBe(200);
  return { user, wallet };
}

describe('A challenge', () => {
  it('is an EIP-4361 message of this platform, for five minutes', async () => {
    const { address } = newWallet();
    const challenge = await check(address.toLowerCase());
    expect(challenge).toMatchObject({ address, registered: false });
    const fields = parseSiweMessage(challenge.message);
    expect(fields).toMatchObject({
      ...{ domain: 'localhost:3000', uri: 'http://localhost:3000', version: '1', chainId: 31337 },
      ...{ address, nonce: challenge.nonce, expirationTime: new Date(challenge.expiresAt) },
    });
    const lifetime = Date.parse(challenge.expiresAt) - (fields.issuedAt as Date).getTime();
    expect(lifetime).toBe(300_000); // 5 minutes
    expect(Math.abs((fields.issuedAt as Date).getTime() - Date.now())).toBeLessThan(5000); // real time
    expect((await check(address)).nonce).not.toBe(challenge.nonce);
  });

  it.each([
    ['0x123', 'INVALID_WALLET_ADDRESS'],
    [5, 'INVALID_WALLET_ADDRESS'],
    [`0x${'g'.repeat(40)}`, 'INVALID_WALLET_ADDRESS'],
    [undefined, 'MISSING_REQUIRED_FIELD'],
  ])('is not made for %j', async (address, code) => {
    const reply = await platform.as(null).post('/api/auth/wallet/check', { address });
    expect([reply.status, reply.code]).toEqual([400, code]);
  });

  it('sweeps away some that have expired', async () => {
    await platform.dataSource.query(
      `insert into wallet_nonce select 'old' || n, 'x', now() - interval '1 second' from generate_series(1, 60) n`,
    );
    const left = async () => {
      const [{ count }] = await platform.dataSource.query(
        `select count(*)::int as count from wallet_nonce where nonce like 'old%'`,
      );
      return count;
    };
    await check(newWallet().address);
    expect(await left()).toBe(10); // 60 − 50 at once
    await check(newWallet().address);
    expect(await left()).toBe(0);
  });
});

describe('Linking a wallet', () => {
  it('lets it sign in, and tells its owner', async () => {
    const { user, wallet } = await userWithWallet();
    expect((await check(wallet.address)).registered).toBe(true);
    const [note] = (await platform.as(user).get('/api/user/notifications?type=security')).data;
    expect(note).toMatchObject({ title: 'Wallet linked', priority: 'high' });
    expect(note.message).toContain(wallet.address);

    const reply = await login(await proofOf(wallet));
    expect(reply.status).toBe(200);
    expect(reply.body.message).toBe('Authentication successful');
    expect(reply.data).toMatchObject({
      ...{ expiresIn: 86400, tokenType: 'Bearer', isAdmin: false },
      user: { id: user.id, email: user.email },
    });
    expect((await platform.as(reply.data).get('/api/auth/user/profile')).data.id).toBe(user.id);
    const refreshed = await platform
      .as(null)
      .post('/api/auth/refresh', { refreshToken: reply.data.refreshToken });
    expect(refreshed.status).toBe(200);
  });

  it('again changes nothing, and tells nothing', async () => {
    const { user, wallet } = await userWithWallet();
    const reply = await connect(user, await proofOf(wallet));
    expect(reply.data).toMatchObject({ address: wallet.address, networkId: 31337 });
    expect((await platform.as(user).get('/api/user/notifications?type=security')).body.pagination.total).toBe(
      1,
    );
  });

  it("that is somebody else's is refused", async () => {
    const [{ wallet }, other] = [await userWithWallet(), await platform.given.user()];
    const reply = await connect(other, await proofOf(wallet));
    expect([reply.status, reply.code]).toEqual([403, 'FORBIDDEN']);
    expect(reply.body.error.message).toContain('another account');
  });

  it('by two at once is won by one', async () => {
    const [wallet, ann, bob] = [newWallet(), await platform.given.user(), await platform.given.user()];
    const proofs = [await proofOf(wallet), await proofOf(wallet)] as const;
    const replies = await Promise.all([connect(ann, proofs[0]), connect(bob, proofs[1])]);
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 403]);
  });

  it('goes on to ten', async () => {
    const user = await platform.given.user();
    for (let n = 1; n <= 10; n++) expect((await connect(user, await proofOf(newWallet()))).status).toBe(200);
    const reply = await connect(user, await proofOf(newWallet()));
    expect([reply.status, reply.code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('needs a user', async () => {
    const proof = await proofOf(newWallet());
    expect((await platform.as(null).post('/api/auth/wallet/connect', proof)).code).toBe('TOKEN_MISSING');
    const admin = await platform.given.admin();
    expect((await platform.as(admin).post('/api/auth/wallet/connect', proof)).code).toBe('FORBIDDEN');
  });
});

describe('Registering with a wallet', () => {
  it('makes the user of the e-mail, with the wallet', async () => {
    const [wallet, email] = [newWallet(), `wallet-${crypto.randomUUID()}@example.org`];
    const reply = await register(email, await proofOf(wallet));
    expect(reply.status).toBe(201);
    expect(reply.data.user.email).toBe(email);
    expect((await login(await proofOf(wallet))).data.user.id).toBe(reply.data.user.id);
  });

  it("needs the identity provider's JWT, and makes nobody without a right signature", async () => {
    const [wallet, email] = [newWallet(), `wallet-${crypto.randomUUID()}@example.org`];
    const without = await platform.as(null).post('/api/auth/wallet/register', await proofOf(wallet));
    expect([without.status, without.code]).toEqual([400, 'VALIDATION_ERROR']);
    const forged = await platform
      .as({ token: 'a.b.c' })
      .post('/api/auth/wallet/register', await proofOf(wallet));
    expect([forged.status, forged.code]).toEqual([401, 'SUPABASE_JWT_INVALID']);
    const { message } = await proofOf(wallet);
    const signature = await newWallet().signMessage({ message });
    expect((await register(email, { message, signature })).code).toBe('SIGNATURE_INVALID');
    const users = await platform.dataSource.query('select 1 from platform_user where email = $1', [email]);
    expect(users).toEqual([]);
  });

  it('makes nobody when the wallet is linked to somebody else', async () => {
    const [{ wallet }, email] = [await userWithWallet(), `wallet-${crypto.randomUUID()}@example.org`];
    expect((await register(email, await proofOf(wallet))).code).toBe('FORBIDDEN');
    const users = await platform.dataSource.query('select 1 from platform_user where email = $1', [email]);
    expect(users).toEqual([]);
  });

  it('is not for admins', async () => {
    const reply = await register('admin@example.com', await proofOf(newWallet()));
    expect([reply.status, reply.code]).toEqual([403, 'FORBIDDEN']);
  });
});

describe('Signing in with a wallet', () => {
  it('keeps the token in a cookie when asked to, and ends within a second when its owner is suspended', async () => {
    const { user, wallet } = await userWithWallet();
    const browser = new Browser(platform);
    const bearer = (await login(await proofOf(wallet))).data;
    const reply = await browser.call('POST', '/api/auth/wallet/login', {
      ...(await proofOf(wallet)),
      session: 'cookie',
    });
    browser.csrfToken = reply.data.csrfToken;
    expect(reply.data).not.toHaveProperty('token');
    expect((await browser.page('GET', '/api/user/balance')).status).toBe(200);
    await platform.dataSource.query(`update platform_user set status = 'suspended' where id = $1`, [user.id]);
    await eventually(async () => {
      expect((await browser.page('GET', '/api/user/balance')).code).toBe('FORBIDDEN');
      expect((await platform.as(bearer).get('/api/user/balance')).code).toBe('FORBIDDEN');
    }, 1000);
    const again = await login(await proofOf(wallet));
    expect([again.status, again.code]).toEqual([403, 'FORBIDDEN']);
  });

  it('is refused when nobody has linked it', async () => {
    const reply = await login(await proofOf(newWallet()));
    expect([reply.status, reply.code]).toEqual([404, 'USER_NOT_FOUND']);
  });

  it('is refused when its owner has become an admin', async () => {
    const { user, wallet } = await userWithWallet();
    await platform.dataSource.query(`update platform_user set email = 'support@example.com' where id = $1`, [
      user.id,
    ]);
    expect((await login(await proofOf(wallet))).code).toBe('FORBIDDEN');
  });

  it.each([
    ['another domain', (m: string) => m.replace('localhost:3000', 'evil.example.com'), 'SIGNATURE_INVALID'],
    [
      'our domain at another port',
      (m: string) => m.replace('localhost:3000', 'localhost:3001'),
      'SIGNATURE_INVALID',
    ],
    ['another scheme', (m: string) => `https://${m}`, 'SIGNATURE_INVALID'],
    [
      'another URI',
      (m: string) => m.replace('URI: http://localhost:3000', 'URI: http://evil.example.com'),
      'SIGNATURE_INVALID',
    ],
    ['another chain', (m: string) => m.replace('Chain ID: 31337', 'Chain ID: 1'), 'SIGNATURE_INVALID'],
    ['another version', (m: string) => m.replace('Version: 1', 'Version: 2'), 'SIGNATURE_INVALID'],
    ['a nonce of its own', (m: string) => m.replace(/Nonce: .+/, 'Nonce: 0123456789abcdef'), 'NONCE_EXPIRED'],
    [
      'a time that is not one',
      (m: string) => m.replace(/Expiration Time: .+/, 'Not Before: tomorrow'),
      'SIGNATURE_INVALID',
    ],
    [
      'a time that is yet to come',
      (m: string) => m.replace(/Expiration Time: .+/, 'Not Before: 2999-01-01T00:00:00Z'),
      'SIGNATURE_INVALID',
    ],
    [
      'a time that is over',
      (m: string) => m.replace(/Expiration Time: .+/, 'Expiration Time: 2020-01-01T00:00:00Z'),
      'NONCE_EXPIRED',
    ],
    ['no sense', () => 'Let me in, please.', 'SIGNATURE_INVALID'],
  ])('is refused with a signed message that has %s', async (_what, change, code) => {
    const { wallet } = await userWithWallet();
    const reply = await login(await proofOf(wallet, { change }));
    expect([reply.status, reply.code]).toEqual([401, code]);
  });

  it('takes a message that the client has written itself', async () => {
    const { wallet, user } = await userWithWallet();
    const { nonce } = await check(wallet.address);
    const message = createSiweMessage({
      ...{ address: wallet.address, domain: 'localhost:3000', uri: 'http://localhost:3000/login' },
      ...{ version: '1', chainId: 31337, nonce },
    });
    const reply = await login({ message, signature: await wallet.signMessage({ message }) });
    expect(reply.data.user.id).toBe(user.id);
  });

  it('is refused when the message was changed after it was signed', async () => {
    const { wallet } = await userWithWallet();
    const { message, signature } = await proofOf(wallet);
    const tampered = message.replace('moves nothing', 'moves everything');
    expect(tampered).not.toBe(message);
    const reply = await login({ message: tampered, signature });
    expect([reply.status, reply.code]).toEqual([401, 'SIGNATURE_INVALID']);
    expect(reply.body.error.details).toEqual({ reason: 'signature' });
    expect((await login({ message, signature })).status).toBe(200); // the challenge still stands for its wallet
  });

  it("is refused with another wallet's signature, or with another wallet's challenge", async () => {
    const { wallet } = await userWithWallet();
    const { message } = await proofOf(wallet);
    const signature = await newWallet().signMessage({ message });
    expect((await login({ message, signature })).code).toBe('SIGNATURE_INVALID');
    const { nonce } = await check(newWallet().address);
    const change = (own: string) => own.replace(/Nonce: .+/, `Nonce: ${nonce}`);
    expect((await login(await proofOf(wallet, { change }))).code).toBe('NONCE_EXPIRED');
  });

  it.each([
    ['0x', 401, 'SIGNATURE_INVALID'],
    ['hello', 401, 'SIGNATURE_INVALID'],
    [`0x${'00'.repeat(65)}`, 401, 'SIGNATURE_INVALID'],
    [`0x${'ff'.repeat(64)}`, 401, 'SIGNATURE_INVALID'],
    [undefined, 400, 'MISSING_REQUIRED_FIELD'],
  ])('is refused with the signature %j', async (signature, status, code) => {
    const { message } = await proofOf(newWallet());
    const reply = await login({ message, signature });
    expect([reply.status, reply.code]).toEqual([status, code]);
  });

  it('works once with a challenge', async () => {
    const { user, wallet } = await userWithWallet();
    const proof = await proofOf(wallet);
    expect((await login(proof)).status).toBe(200);
    for (const replay of [await login(proof), await connect(user, proof), await register(user.email, proof)])
      expect([replay.status, replay.code]).toEqual([401, 'NONCE_EXPIRED']);
  });

  it('works once with a challenge that many use at the same time', async () => {
    const { wallet } = await userWithWallet();
    const proof = await proofOf(wallet);
    const replies = await Promise.all(Array.from({ length: 6 }, () => login(proof)));
    expect(replies.map((reply) => reply.code ?? 'in').sort()).toEqual([
      ...Array(5).fill('NONCE_EXPIRED'),
      'in',
    ]);
  });

  it('does not work when the five minutes are over', async () => {
    const { wallet } = await userWithWallet();
    const proof = await proofOf(wallet);
    const { nonce } = parseSiweMessage(proof.message);
    await platform.dataSource.query('update wallet_nonce set expires_at = now() where nonce = $1', [nonce]);
    const reply = await login(proof);
    expect([reply.status, reply.code]).toEqual([401, 'NONCE_EXPIRED']);
  });
});

describe('A contract wallet', () => {
  let tricks: ChainTricks;
  beforeAll(() => {
    tricks = new ChainTricks(platform.outside.chain);
  });

  it('signs in with what its owner has signed, and with nothing else', async () => {
    const [owner, user] = [newWallet(), await platform.given.user()];
    const address = await tricks.deployWallet(owner.address);
    expect((await connect(user, await proofOf(owner, { address }))).status).toBe(200);
    expect((await login(await proofOf(owner, { address }))).data.user.id).toBe(user.id);

    const stranger = await login(await proofOf(newWallet(), { address }));
    expect([stranger.status, stranger.code]).toEqual([401, 'SIGNATURE_INVALID']);
    const { message } = await check(address);
    expect((await login({ message, signature: '0x1234' })).code).toBe('SIGNATURE_INVALID'); // the contract reverts
  });

  it('is none where the contract only repeats the question, or is no wallet at all', async () => {
    for (const address of [await tricks.deployEcho(), platform.outside.chain.usdcAddress as string]) {
      const reply = await login(await proofOf(newWallet(), { address }));
      expect([reply.status, reply.code]).toEqual([401, 'SIGNATURE_INVALID']);
    }
  });

  it('waits for the node; an account needs none', async () => {
    const owner = newWallet();
    const address = await tricks.deployWallet(owner.address);
    const { wallet } = await userWithWallet();
    const cutOff = await startReplica(platform, { RPC_URL: 'http://127.0.0.1:9' });
    const there = (proof: Proof) => platform.as(null, cutOff).post('/api/auth/wallet/login', proof);
    const proof = await proofOf(owner, { address });
    const reply = await there(proof);
    expect([reply.status, reply.code]).toEqual([503, 'BLOCKCHAIN_ERROR']);
    expect((await there(await proofOf(wallet))).status).toBe(200);
    expect((await login(proof)).code).toBe('USER_NOT_FOUND'); // the challenge was not spent in vain
  });
});

describe('GET /api/balance/wallet', () => {
  const held = async (user: TestUser, at?: string) => platform.as(user, at).get('/api/balance/wallet');

  it('shows what the linked wallets hold on chain', async () => {
    const { user, wallet } = await userWithWallet();
    const second = newWallet();
    platform.clock.advance(1000);
    await connect(user, await proofOf(second));
    await platform.outside.chain.payUsdc(wallet.address, '12.345678');
    await new ChainTricks(platform.outside.chain).payEther(wallet.address, '1.5000009');
    expect((await held(user)).data.wallets).toEqual([
      {
        ...{ address: wallet.address, networkId: 31337, createdAt: expect.any(String) },
        ...{ usdc: '12.345678', eth: '1.50' }, // 1.5000009 rounded down to six decimals
      },
      {
        ...{ address: second.address, networkId: 31337, createdAt: platform.clock.now().toISOString() },
        ...{ usdc: '0.00', eth: '0.00' },
      },
    ]);
  });

  it('is empty without wallets, even without the node', async () => {
    const [user, { user: owner }] = [await platform.given.user(), await userWithWallet()];
    const cutOff = await startReplica(platform, { RPC_URL: 'http://127.0.0.1:9' });
    expect((await held(user, cutOff)).data).toEqual({ wallets: [] });
    const reply = await held(owner, cutOff);
    expect([reply.status, reply.code]).toEqual([503, 'BLOCKCHAIN_ERROR']);
  });
});

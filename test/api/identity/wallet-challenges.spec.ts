import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSiweMessage, parseSiweMessage } from 'viem/siwe';
import { ChainFixtures } from '../../fixtures/chain-fixtures.js';
import { changeSealed, WRONG_SEAL } from '../../fixtures/sealed-rows.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';
import { newWallet, WalletSteps, type SignedMessage } from '../../fixtures/wallets.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';

let platform: TestPlatform;
let walletSteps: WalletSteps;

beforeAll(async () => {
  platform = await startPlatform();
  walletSteps = new WalletSteps(platform);
});
afterAll(() => platform?.stop());

describe('A wallet challenge', () => {
  it('is an EIP-4361 message of the platform with a validity of five minutes', async () => {
    const { address } = newWallet();
    const before = Date.now();
    const challenge = (await walletSteps.check(address.toLowerCase())).data;
    const after = Date.now();
    expect(challenge).toMatchObject({ address, registered: false });
    const fields = parseSiweMessage(challenge.message);
    expect(fields).toMatchObject({
      domain: 'localhost:3000',
      uri: 'http://localhost:3000',
      version: '1',
      chainId: 31337,
      address,
      nonce: challenge.nonce,
      expirationTime: new Date(challenge.expiresAt),
    });
    const issuedAt = (fields.issuedAt as Date).getTime();
    expect(Date.parse(challenge.expiresAt) - issuedAt).toBe(300_000); // 5 minutes
    expect(issuedAt).toBeGreaterThanOrEqual(before); // in real time, not by the domain clock
    expect(issuedAt).toBeLessThanOrEqual(after);
    expect((await walletSteps.check(address)).data.nonce).not.toBe(challenge.nonce);
  });

  it.each([
    ['0x123', 'INVALID_WALLET_ADDRESS'],
    [5, 'INVALID_WALLET_ADDRESS'],
    [`0x${'g'.repeat(40)}`, 'INVALID_WALLET_ADDRESS'],
    [undefined, 'MISSING_REQUIRED_FIELD'],
  ])('is not created for %j', async (address, code) => {
    const reply = await walletSteps.check(address);
    expect([reply.status, reply.code]).toEqual([400, code]);
  });

  it('deletes up to 50 expired challenges when it is created', async () => {
    await platform.dataSource.query(
      `insert into wallet_nonce (nonce, address, expires_at, seal)
       select 'old' || n, 'x', now() - interval '1 second', $1 from generate_series(1, 60) n`,
      [WRONG_SEAL],
    );
    const remaining = async () => {
      const [{ count }] = await platform.dataSource.query(
        `select count(*)::int as count from wallet_nonce where nonce like 'old%'`,
      );
      return count;
    };
    await walletSteps.check(newWallet().address);
    expect(await remaining()).toBe(10); // 60 − 50 per call
    await walletSteps.check(newWallet().address);
    expect(await remaining()).toBe(0);
  });
});

describe('A signed wallet challenge', () => {
  it.each([
    ['another domain', (m: string) => m.replace('localhost:3000', 'evil.example.com'), 'SIGNATURE_INVALID'],
    [
      'the domain with another port',
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
    ['an unknown nonce', (m: string) => m.replace(/Nonce: .+/, 'Nonce: 0123456789abcdef'), 'NONCE_EXPIRED'],
    [
      'an invalid start time',
      (m: string) => m.replace(/Expiration Time: .+/, 'Not Before: tomorrow'),
      'SIGNATURE_INVALID',
    ],
    [
      'a start time in the future',
      (m: string) => m.replace(/Expiration Time: .+/, 'Not Before: 2999-01-01T00:00:00Z'),
      'SIGNATURE_INVALID',
    ],
    [
      'an expiration time in the past',
      (m: string) => m.replace(/Expiration Time: .+/, 'Expiration Time: 2020-01-01T00:00:00Z'),
      'NONCE_EXPIRED',
    ],
    ['no EIP-4361 format', () => 'Let me in, please.', 'SIGNATURE_INVALID'],
  ])('is rejected with %s in the message [SEC-082]', async (_what, change, code) => {
    const { wallet } = await walletSteps.userWithWallet();
    const reply = await walletSteps.login(await walletSteps.signChallenge(wallet, { change }));
    expect([reply.status, reply.code]).toEqual([401, code]);
  });

  it('is accepted in a message written by the client', async () => {
    const { wallet, user } = await walletSteps.userWithWallet();
    const { nonce } = (await walletSteps.check(wallet.address)).data;
    const message = createSiweMessage({
      address: wallet.address,
      domain: 'localhost:3000',
      uri: 'http://localhost:3000/login',
      version: '1',
      chainId: 31337,
      nonce,
    });
    const reply = await walletSteps.login({ message, signature: await wallet.signMessage({ message }) });
    expect(reply.data.user.id).toBe(user.id);
  });

  it('is rejected when the message was changed after signing', async () => {
    const { wallet } = await walletSteps.userWithWallet();
    const { message, signature } = await walletSteps.signChallenge(wallet);
    const tampered = message.replace('moves nothing', 'moves everything');
    expect(tampered).not.toBe(message);
    const reply = await walletSteps.login({ message: tampered, signature });
    expect([reply.status, reply.code]).toEqual([401, 'SIGNATURE_INVALID']);
    expect(reply.body.error.details).toMatchObject({ reason: 'signature' });
    expect((await walletSteps.login({ message, signature })).status).toBe(200); // the challenge is still valid
  });

  it('is rejected with the signature or the challenge of another wallet', async () => {
    const { wallet } = await walletSteps.userWithWallet();
    const { message } = await walletSteps.signChallenge(wallet);
    const signature = await newWallet().signMessage({ message });
    expect((await walletSteps.login({ message, signature })).code).toBe('SIGNATURE_INVALID');
    const { nonce } = (await walletSteps.check(newWallet().address)).data;
    const change = (m: string) => m.replace(/Nonce: .+/, `Nonce: ${nonce}`);
    expect((await walletSteps.login(await walletSteps.signChallenge(wallet, { change }))).code).toBe(
      'NONCE_EXPIRED',
    );
  });

  it.each([
    ['0x', 401, 'SIGNATURE_INVALID'],
    ['hello', 401, 'SIGNATURE_INVALID'],
    [`0x${'00'.repeat(65)}`, 401, 'SIGNATURE_INVALID'],
    [`0x${'ff'.repeat(64)}`, 401, 'SIGNATURE_INVALID'],
    [undefined, 400, 'MISSING_REQUIRED_FIELD'],
  ])('is rejected with the signature %j', async (signature, status, code) => {
    const { message } = await walletSteps.signChallenge(newWallet());
    const reply = await walletSteps.login({ message, signature });
    expect([reply.status, reply.code]).toEqual([status, code]);
  });

  it('is accepted once [SEC-081]', async () => {
    const { user, wallet } = await walletSteps.userWithWallet();
    const proof = await walletSteps.signChallenge(wallet);
    expect((await walletSteps.login(proof)).status).toBe(200);
    for (const replay of [
      await walletSteps.login(proof),
      await walletSteps.connect(user, proof),
      await walletSteps.register(user.email, proof),
    ])
      expect([replay.status, replay.code]).toEqual([401, 'NONCE_EXPIRED']);
  });

  it('is accepted once when used concurrently', async () => {
    const { wallet } = await walletSteps.userWithWallet();
    const proof = await walletSteps.signChallenge(wallet);
    const { nonce } = parseSiweMessage(proof.message);
    // The lock makes all six requests wait for the challenge before one of them uses it.
    const holder = platform.dataSource.createQueryRunner();
    await holder.startTransaction();
    await holder.query('select 1 from wallet_nonce where nonce = $1 for update', [nonce]);
    const replies = Array.from({ length: 6 }, () => walletSteps.login(proof));
    await eventually(async () => {
      const waiting: { query: string }[] = await platform.dataSource.query(LOCK_WAITS);
      expect(waiting.filter(({ query }) => query.includes('wallet_nonce'))).toHaveLength(6);
    });
    await holder.rollbackTransaction();
    await holder.release();
    expect((await Promise.all(replies)).map((reply) => reply.code ?? 'signed in').sort()).toEqual([
      ...Array(5).fill('NONCE_EXPIRED'),
      'signed in',
    ]);
  });

  it('is rejected after its expiry', async () => {
    const { wallet } = await walletSteps.userWithWallet();
    const proof = await walletSteps.signChallenge(wallet);
    const { nonce } = parseSiweMessage(proof.message);
    const expired = () => ({ expiresAt: new Date() });
    await changeSealed(platform.dataSource, 'wallet_nonce', ['nonce', nonce], expired);
    const reply = await walletSteps.login(proof);
    expect([reply.status, reply.code]).toEqual([401, 'NONCE_EXPIRED']);
  });
});

describe('A contract wallet', () => {
  let chainFixtures: ChainFixtures;
  beforeAll(() => {
    chainFixtures = new ChainFixtures(platform.outside.chain);
  });

  it('signs in with a signature of its owner only', async () => {
    const owner = newWallet();
    const user = await platform.given.user();
    const address = await chainFixtures.deployContractWallet(owner.address);
    expect(
      (await walletSteps.connect(user, await walletSteps.signChallenge(owner, { address }))).status,
    ).toBe(200);
    expect((await walletSteps.login(await walletSteps.signChallenge(owner, { address }))).data.user.id).toBe(
      user.id,
    );

    const foreign = await walletSteps.login(await walletSteps.signChallenge(newWallet(), { address }));
    expect([foreign.status, foreign.code]).toEqual([401, 'SIGNATURE_INVALID']);
    const { message } = (await walletSteps.check(address)).data;
    // The contract reverts on this signature.
    expect((await walletSteps.login({ message, signature: '0x1234' })).code).toBe('SIGNATURE_INVALID');
  });

  it('is rejected when the contract echoes the input, uses up the gas or is not a wallet', async () => {
    const echo = await chainFixtures.deployEcho();
    const burners = await chainFixtures.deployGasBurners();
    for (const address of [echo, ...burners, platform.outside.chain.usdcAddress as string]) {
      const reply = await walletSteps.login(await walletSteps.signChallenge(newWallet(), { address }));
      expect([reply.status, reply.code]).toEqual([401, 'SIGNATURE_INVALID']);
    }
  });

  it('cannot make the service call a URL (CCIP read) [SEC-047]', async () => {
    let isCalled = false;
    const offchainServer = createServer((_request, response) => {
      isCalled = true;
      response.end('{"data":"0x1626ba7e"}'); // by this value a contract accepts a signature (EIP-1271)
    });
    await once(offchainServer.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(offchainServer.address() as AddressInfo).port}/{sender}/{data}`;
    const address = await chainFixtures.deployOffchainLookup(url);
    const reply = await walletSteps.login(await walletSteps.signChallenge(newWallet(), { address }));
    offchainServer.close();
    expect([reply.status, reply.code, isCalled]).toEqual([401, 'SIGNATURE_INVALID', false]);
  });

  describe('signing in', () => {
    let proof: SignedMessage;
    beforeEach(async () => {
      const owner = newWallet();
      proof = await walletSteps.signChallenge(owner, {
        address: await chainFixtures.deployContractWallet(owner.address),
      });
    });

    it('gets 503 if the node is unavailable, while a wallet without contract can sign in', async () => {
      const withoutNode = await startReplica(platform, { RPC_URL: 'http://127.0.0.1:9' }); // where nothing listens
      const reply = await walletSteps.login(proof, withoutNode);
      expect([reply.status, reply.code]).toEqual([503, 'BLOCKCHAIN_ERROR']);
      const { wallet } = await walletSteps.userWithWallet();
      const signed = await walletSteps.signChallenge(wallet);
      expect((await walletSteps.login(signed, withoutNode)).status).toBe(200);

      expect((await walletSteps.login(proof)).code).toBe('USER_NOT_FOUND'); // the challenge was not used up
      const { nonce } = parseSiweMessage(proof.message);
      await platform.dataSource.query('delete from wallet_nonce where nonce = $1', [nonce]);
      // Rejected without a call to the node.
      expect((await walletSteps.login(proof, withoutNode)).code).toBe('NONCE_EXPIRED');
    });

    it('gets 503 and not 401 if the node returns an error', async () => {
      const node = createServer((request, response) => {
        request.on('data', (body: Buffer) => {
          const { id } = JSON.parse(body.toString()) as { id: number };
          const error = { code: -32005, message: 'limit exceeded' };
          response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
        });
      });
      await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
      const { port } = node.address() as AddressInfo;
      const failing = await startReplica(platform, { RPC_URL: `http://127.0.0.1:${port}` });
      const reply = await walletSteps.login(proof, failing);
      node.close();
      expect([reply.status, reply.code]).toEqual([503, 'BLOCKCHAIN_ERROR']);
    });
  });
});

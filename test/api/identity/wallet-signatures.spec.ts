import {
  concat,
  parseSignature,
  serializeCompactSignature,
  serializeErc6492Signature,
  signatureToCompactSignature,
  type Hex,
} from 'viem';
import { createSiweMessage, parseSiweMessage } from 'viem/siwe';
import { ChainFixtures } from '../../fixtures/chain-fixtures.js';
import { newWallet, WalletSteps, type SignedMessage } from '../../fixtures/wallets.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';

let platform: TestPlatform;
let walletSteps: WalletSteps;
let chainFixtures: ChainFixtures;

beforeAll(async () => {
  platform = await startPlatform();
  walletSteps = new WalletSteps(platform);
  chainFixtures = new ChainFixtures(platform.outside.chain);
});
afterAll(() => platform?.stop());

const codeOf = ({ code, status }: { code: string | undefined; status: number }) => code ?? status;
const compact = (signature: Hex) =>
  serializeCompactSignature(signatureToCompactSignature(parseSignature(signature)));

describe('A compact signature of a key (EIP-2098)', () => {
  const signCompactly = async (wallet: ReturnType<typeof newWallet>): Promise<SignedMessage> => {
    const { message, signature } = await walletSteps.signChallenge(wallet);
    return { message, signature: compact(signature as Hex) };
  };

  it('signs in like the full one, also without the node', async () => {
    const { user, wallet } = await walletSteps.userWithWallet();
    const withoutNode = await startReplica(platform, { RPC_URL: 'http://127.0.0.1:9' }); // where nothing listens
    for (let i = 0; i < 4; i++) {
      const signed = await signCompactly(wallet); // four, because the parity of a signature is random
      expect(signed.signature).toHaveLength(2 + 2 * 64);
      expect((await walletSteps.login(signed, withoutNode)).data.user.id).toBe(user.id);
    }
  });

  it('of another key is refused', async () => {
    const { wallet } = await walletSteps.userWithWallet();
    const { message } = await walletSteps.signChallenge(wallet);
    const signature = compact(await newWallet().signMessage({ message }));
    expect(codeOf(await walletSteps.login({ message, signature }))).toBe('SIGNATURE_INVALID');
  });
});

describe('An empty signature', () => {
  it('is accepted for a contract wallet that has approved the message on chain (ERC-1271), and for no other wallet', async () => {
    const address = await chainFixtures.deployTreasuryWallet();
    const user = await platform.given.user();
    const { message } = (await walletSteps.check(address)).data;
    const signed = { message, signature: '0x' };
    expect(codeOf(await walletSteps.connect(user, signed))).toBe('SIGNATURE_INVALID');
    await chainFixtures.approveMessage(address, message);
    expect(codeOf(await walletSteps.connect(user, signed))).toBe(200);

    const { wallet } = await walletSteps.userWithWallet();
    for (const other of [wallet.address, await chainFixtures.deployEcho()]) {
      const empty = { message: (await walletSteps.check(other)).data.message, signature: '0x' };
      expect(codeOf(await walletSteps.login(empty))).toBe('SIGNATURE_INVALID');
    }
  });
});

describe('A contract wallet that is not deployed (ERC-6492)', () => {
  const signAs = async (address: string, signer: ReturnType<typeof newWallet>, deployment: Deployment) => {
    const { message, signature } = await walletSteps.signChallenge(signer, { address });
    return { message, signature: wrap(deployment, signature as Hex) };
  };
  type Deployment = Pick<ReturnType<ChainFixtures['counterfactualWallet']>, 'factory' | 'deployment'>;
  const wrap = ({ factory, deployment }: Deployment, signature: Hex) =>
    serializeErc6492Signature({ address: factory, data: deployment, signature });

  it('signs in with a signature of its owner and the call that deploys it, which is not sent', async () => {
    const owner = newWallet();
    const user = await platform.given.user();
    const wallet = chainFixtures.counterfactualWallet(owner.address);
    expect(codeOf(await walletSteps.connect(user, await signAs(wallet.address, owner, wallet)))).toBe(200);
    const signedIn = await walletSteps.login(await signAs(wallet.address, owner, wallet));
    expect(signedIn.data.user.id).toBe(user.id);
    expect(await chainFixtures.hasCode(wallet.address)).toBe(false);

    await chainFixtures.send(wallet.factory, wallet.deployment);
    expect(await chainFixtures.hasCode(wallet.address)).toBe(true);
    for (const signed of [
      await walletSteps.signChallenge(owner, { address: wallet.address }),
      await signAs(wallet.address, owner, wallet),
    ])
      expect((await walletSteps.login(signed)).data.user.id).toBe(user.id);
  });

  it('is refused with the signature of another key, and with the deployment of another wallet [SEC-508]', async () => {
    const owner = newWallet();
    const thief = newWallet();
    const wallet = chainFixtures.counterfactualWallet(owner.address);
    const wallets = { own: wallet, foreign: chainFixtures.counterfactualWallet(thief.address) };
    const deployed = await chainFixtures.deployContractWallet(owner.address);
    const noCall = { factory: wallet.factory, deployment: '0x' } as const;
    // The thief signs for the owner's wallet that is not deployed, for one that is, and for the key itself.
    for (const [address, deployment] of [
      [wallet.address, wallets.own],
      [wallet.address, wallets.foreign],
      [wallet.address, noCall],
      [deployed, wallets.foreign],
      [owner.address, wallets.foreign],
    ] as const)
      expect(codeOf(await walletSteps.login(await signAs(address, thief, deployment)))).toBe(
        'SIGNATURE_INVALID',
      );
    const { message, signature } = await walletSteps.signChallenge(owner, { address: wallet.address });
    expect(codeOf(await walletSteps.login({ message, signature }))).toBe('SIGNATURE_INVALID'); // names no factory
    for (const ending of ['6492', '8010']) {
      const malformed = concat([signature as Hex, `0x${ending.repeat(16)}`]);
      expect(codeOf(await walletSteps.login({ message, signature: malformed }))).toBe('SIGNATURE_INVALID');
    }
  });

  it('gets 503 if the node is unavailable', async () => {
    const owner = newWallet();
    const wallet = chainFixtures.counterfactualWallet(owner.address);
    const withoutNode = await startReplica(platform, { RPC_URL: 'http://127.0.0.1:9' });
    const signed = await signAs(wallet.address, owner, wallet);
    expect(codeOf(await walletSteps.login(signed, withoutNode))).toBe('BLOCKCHAIN_ERROR');
    expect(codeOf(await walletSteps.login(signed))).toBe('USER_NOT_FOUND'); // valid, but linked to no account
  });
});

describe('The domain of a sign-in message', () => {
  const ORIGINS = ['https://app.example.com', 'http://localhost:5173', 'capacitor://localhost'];
  let url: string;
  beforeAll(async () => {
    url = await startReplica(platform, { CORS_ORIGINS: ORIGINS });
  });

  const challengeFor = async (address: string, origin?: string, at = url) => {
    const options = origin === undefined ? {} : { headers: { origin } };
    return (await platform.as(null, at).post('/api/auth/wallet/check', { address }, options)).data;
  };
  /** Signs in with these fields of the message. True if that signs in its user, otherwise the reason of the refusal. */
  const login = async (change: Partial<Parameters<typeof createSiweMessage>[0]>) => {
    const { user, wallet } = await walletSteps.userWithWallet();
    const { nonce } = await challengeFor(wallet.address);
    const message = createSiweMessage({
      address: wallet.address,
      domain: 'localhost:3000',
      uri: 'http://localhost:3000',
      version: '1',
      chainId: 31337,
      nonce,
      ...change,
    });
    const signature = await wallet.signMessage({ message });
    const reply = await walletSteps.login({ message, signature }, url);
    return reply.status === 200 ? reply.data.user.id === user.id : reply.body.error.details?.reason;
  };

  it.each([
    { domain: 'app.example.com', uri: 'https://app.example.com/login' },
    { domain: 'app.example.com', uri: 'https://app.example.com', scheme: 'https' },
    { domain: 'localhost:5173', uri: 'http://localhost:5173' },
    { domain: 'localhost', uri: 'capacitor://localhost', scheme: 'capacitor' },
    { domain: 'app.example.com', uri: 'http://localhost:3000/api' }, // the API, for which the page signs in
    { domain: 'localhost:3000', uri: 'http://localhost:3000' },
  ])('can be that of PUBLIC_URL or of one of CORS_ORIGINS: %j', async (fields) => {
    expect(await login(fields)).toBe(true);
  });

  it.each([
    [{ domain: 'evil.example.com', uri: 'https://app.example.com' }, 'domain'],
    [{ domain: 'app.example.com:8443', uri: 'https://app.example.com' }, 'domain'],
    [{ domain: 'app.example.com', uri: 'https://app.example.com', scheme: 'http' }, 'domain'],
    [{ domain: 'localhost', uri: 'capacitor://localhost', scheme: 'https' }, 'domain'],
    [{ domain: 'app.example.com', uri: 'https://evil.example.com' }, 'uri'],
    [{ domain: 'app.example.com', uri: 'http://app.example.com' }, 'uri'],
    [{ domain: 'localhost', uri: 'ionic://localhost' }, 'uri'],
  ])('cannot be another one, nor can its URI: %j [SEC-509]', async (fields, reason) => {
    expect(await login(fields)).toBe(reason);
  });

  it('is, in a challenge, that of the web application that asks for it', async () => {
    const { wallet, user } = await walletSteps.userWithWallet();
    for (const origin of ORIGINS) {
      const { message } = await challengeFor(wallet.address, origin);
      expect(parseSiweMessage(message)).toMatchObject({ domain: new URL(origin).host, uri: origin });
      const signature = await wallet.signMessage({ message });
      expect((await walletSteps.login({ message, signature }, url)).data.user.id).toBe(user.id);
    }
    for (const origin of [undefined, 'https://evil.example.com', 'null'])
      expect(parseSiweMessage((await challengeFor(wallet.address, origin)).message)).toMatchObject({
        domain: 'localhost:3000',
        uri: 'http://localhost:3000',
      });
  });

  it('can be internationalised', async () => {
    const { wallet, user } = await walletSteps.userWithWallet();
    const PUBLIC_URL = 'https://xn--e1afmkfd.xn--p1ai';
    const internationalised = await startReplica(platform, { PUBLIC_URL });
    const { message } = await challengeFor(wallet.address, undefined, internationalised);
    expect(message).toMatch(/^xn--e1afmkfd\.xn--p1ai wants you to sign in/);
    const signature = await wallet.signMessage({ message });
    expect((await walletSteps.login({ message, signature }, internationalised)).data.user.id).toBe(user.id);
  });
});

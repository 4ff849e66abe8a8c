import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import type { Reply } from './caller.js';
import type { TestUser } from './given.js';
import type { TestPlatform } from './platform.js';

export interface SignedMessage {
  message: string;
  signature: string;
}

export const newWallet = () => privateKeyToAccount(generatePrivateKey());

/** Wallets that are challenged, sign and come in. */
export class WalletScene {
  constructor(private readonly platform: TestPlatform) {}

  check = async (address: unknown): Promise<Reply> =>
    this.platform.as(null).post('/api/auth/wallet/check', { address });

  /** What `wallet` signs for an address, its own unless it signs for a contract. */
  async signed(
    wallet: PrivateKeyAccount,
    { address = wallet.address as string, change = (message: string) => message } = {},
  ): Promise<SignedMessage> {
    const message = change((await this.check(address)).data.message);
    return { message, signature: await wallet.signMessage({ message }) };
  }

  connect = (user: TestUser, signed: SignedMessage, at?: string): Promise<Reply> =>
    this.platform.as(user, at).post('/api/auth/wallet/connect', signed);

  login = (signed: object, at?: string): Promise<Reply> =>
    this.platform.as(null, at).post('/api/auth/wallet/login', signed);

  async register(email: string, signed: SignedMessage): Promise<Reply> {
    const jwt = await this.platform.outside.providers.identity.token({ email });
    return this.platform.as({ token: jwt }).post('/api/auth/wallet/register', signed);
  }

  async userWithWallet(): Promise<{ user: TestUser; wallet: PrivateKeyAccount }> {
    const [user, wallet] = [await this.platform.given.user(), newWallet()];
    expect((await this.connect(user, await this.signed(wallet))).status).toBe(200);
    return { user, wallet };
  }
}

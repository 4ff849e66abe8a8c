import { DepositPoller } from '../../src/modules/deposits/deposit-poller.js';
import type { TestUser } from './given.js';
import { startPlatform, type TestPlatform } from './platform.js';
import { ProviderCallbacks } from './provider-callbacks.js';

/** A deposit as its list shows it. */
export interface ShownDeposit {
  id: string;
  status: string;
  amount: string;
  [field: string]: unknown;
  metadata: Record<string, unknown>;
}

/** A platform whose blocks and polls come when the test says so. */
export class DepositScene {
  readonly callbacks: ProviderCallbacks;

  private constructor(readonly platform: TestPlatform) {
    this.callbacks = new ProviderCallbacks(platform);
  }

  /** `at`: where the domain clock stands, if that matters. */
  static async start(settings: Record<string, string> = {}, at?: string): Promise<DepositScene> {
    const all = { DEPOSIT_POLL_SECONDS: '3600', ...settings };
    return new DepositScene(
      await startPlatform({ settings: all, blockIntervalMs: 0, ...(at === undefined ? {} : { at }) }),
    );
  }

  get provider() {
    return this.platform.outside.providers.deposits;
  }

  get faults() {
    return this.platform.outside.providers.faults;
  }

  stop = (): Promise<void> => this.platform.stop();

  endFaults = async (): Promise<void> => {
    for (const party of ['deposit', 'chain'] as const) await this.platform.outside.providers.endFault(party);
  };

  async userWithAddress(currency: string, network: string): Promise<{ user: TestUser; address: string }> {
    const user = await this.platform.given.user();
    return { user, address: await this.addressOf(user, currency, network) };
  }

  async addressOf(user: TestUser, currency: string, network: string): Promise<string> {
    const query = `currency=${currency}&network=${network}`;
    return (await this.platform.as(user).get(`/api/user/deposits/address?${query}`)).data.address;
  }

  /** Mines blocks, and has the provider see them. */
  mine = async (blocks: number): Promise<void> => {
    await this.platform.outside.chain.mine(blocks);
    await this.provider.observe();
  };

  poll = (): Promise<void> => this.platform.app.get(DepositPoller).poll();

  available = async (user: TestUser): Promise<string> =>
    (await this.platform.as(user).get('/api/user/balance')).data.available;

  /** The oldest first. */
  depositsOf = async (user: TestUser): Promise<ShownDeposit[]> =>
    (await this.platform.as(user).get('/api/user/deposits?orderBy=asc')).data;

  onlyDeposit = async (user: TestUser): Promise<ShownDeposit> => {
    const deposits = await this.depositsOf(user);
    expect(deposits).toHaveLength(1);
    return deposits[0] as ShownDeposit;
  };

  statesOf = async (user: TestUser): Promise<string[]> =>
    (await this.depositsOf(user)).map(({ status }) => status);

  postingsOf = (depositId: string): Promise<{ type: string }[]> =>
    this.platform.dataSource.query(
      'select type from ledger_transaction where reference_id = $1 order by id',
      [depositId],
    );

  /** What all platform accounts of a kind hold together. */
  async heldIn(kind: 'suspense' | 'rounding'): Promise<string> {
    const [row] = await this.platform.dataSource.query(
      `select trim_scale(coalesce(sum(amount), 0))::text as sum
         from ledger_entry join ledger_account as account on account.id = account_id where kind = $1`,
      [kind],
    );
    return row.sum;
  }
}

import type { Address } from 'viem';
import { LedgerQueries } from '../../src/modules/ledger/ledger.queries.js';
import { Withdrawals } from '../../src/modules/withdrawals/withdrawals.service.js';
import type { TestAdmin, TestUser } from './given.js';
import type { TestPlatform } from './platform.js';

export const USER_PATH = '/api/user/withdrawals';
export const ADMIN_PATH = '/api/admin/withdrawals';
/** Its checksum is right. */
export const DESTINATION: Address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
/** An id of the right shape that nothing has. */
export const NOBODYS = '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11';
export const HOUR_MS = 3_600_000;

let hashes = 0;
/** A hash of the right shape that no transaction has. */
export function unknownHash(): string {
  return `0x${(++hashes).toString(16).padStart(64, '0')}`;
}

/** Withdrawals as the tests make them and move them on; `admin` acts unless another is named. */
export class WithdrawalSteps {
  constructor(
    private readonly platform: TestPlatform,
    readonly admin: TestAdmin,
  ) {}

  ask = (user: TestUser, amount: string, more: object = {}) =>
    this.platform.as(user).post(USER_PATH, { amount, currency: 'USDC', toAddress: DESTINATION, ...more });

  /** Of a new user, who has 200000.00 before it. */
  async pending(amount = '100.00'): Promise<{ id: string; ann: TestUser }> {
    const ann = await this.platform.given.user().withBalance('200000.00');
    return { id: (await this.ask(ann, amount)).data.id, ann };
  }

  async processing(amount = '100.00'): Promise<{ id: string; ann: TestUser }> {
    const made = await this.pending(amount);
    await this.take(made.id);
    return made;
  }

  take = (id: string, by = this.admin) => this.platform.as(by).post(`${ADMIN_PATH}/${id}/take`);
  approve = (id: string, by = this.admin) => this.platform.as(by).put(`${ADMIN_PATH}/${id}/approve`);
  execute = (id: string, by = this.admin) => this.platform.as(by).put(`${ADMIN_PATH}/${id}/execute`);
  reject = (id: string, reason: unknown = 'No', by = this.admin) =>
    this.platform.as(by).put(`${ADMIN_PATH}/${id}/reject`, { reason });
  complete = (id: string, txHash: unknown = unknownHash(), more: object = {}, by = this.admin) =>
    this.platform.as(by).post(`${ADMIN_PATH}/${id}/complete`, { txHash, ...more });
  cancel = (id: string, user: TestUser) => this.platform.as(user).post(`${USER_PATH}/${id}/cancel`);
  /** The provider's word. */
  fail = (id: string) => this.platform.app.get(Withdrawals).failedByProvider(id, 'Liquidity');

  async detail(id: string) {
    return (await this.platform.as(this.admin).get(`${ADMIN_PATH}/${id}`)).data;
  }

  async funds(user: TestUser) {
    const { available, reserved, withdrawals } = await this.platform.app.get(LedgerQueries).fundsOf(user.id);
    return { available: available.toWire(), reserved: reserved.toWire(), withdrawals: withdrawals.toWire() };
  }
}

/** The steps on a platform that has just started. */
export async function withdrawalSteps(platform: TestPlatform): Promise<WithdrawalSteps> {
  return new WithdrawalSteps(platform, await platform.given.admin('admin'));
}

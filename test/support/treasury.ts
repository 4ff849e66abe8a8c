import type { TestAdmin, TestUser } from './given.js';
import type { TestPlatform } from './platform.js';
import { unknownHash, type WithdrawalSteps, withdrawalSteps } from './withdrawals.js';

export const TRANSACTIONS = '/api/admin/transactions';
export const REQUESTS = '/api/admin/transaction-requests';

/** Transactions that admins ask for, as the tests move them on: `admin` asks and confirms, `admin2` approves. */
export class TreasurySteps {
  constructor(
    readonly platform: TestPlatform,
    readonly withdrawals: WithdrawalSteps,
    readonly admin: TestAdmin,
    readonly admin2: TestAdmin,
  ) {}

  ask = (wish: object, by = this.admin) =>
    this.platform.as(by).post(TRANSACTIONS, {
      currency: 'USDC',
      amount: '100.00',
      description: 'By hand',
      ...wish,
    });
  approve = (id: string, by = this.admin2) => this.platform.as(by).post(`${TRANSACTIONS}/${id}/approve`);
  confirm = (id: string, body: object = {}, by = this.admin) =>
    this.platform.as(by).post(`${TRANSACTIONS}/${id}/confirm`, body);
  reject = (id: string, reason: unknown = 'No', by = this.admin) =>
    this.platform.as(by).post(`${TRANSACTIONS}/${id}/reject`, { reason });
  generate = (by = this.admin) => this.platform.as(by).post(`${TRANSACTIONS}/generate`);
  execute = (body: object = {}, by = this.admin) =>
    this.platform.as(by).post(`${TRANSACTIONS}/execute`, body);
  complete = (id: string, txHash: unknown = unknownHash(), more: object = {}, by = this.admin) =>
    this.platform.as(by).post(`${REQUESTS}/${id}/complete`, { txHash, ...more });

  /** Asked for, and approved by another. */
  async approved(wish: object): Promise<string> {
    const { id } = (await this.ask(wish)).data;
    await this.approve(id);
    return id;
  }

  /** A transfer that is handed out: its id and its request's. */
  async handedOut(amount = '100.00'): Promise<{ id: string; requestId: string }> {
    const id = await this.approved({ type: 'transfer', amount });
    await this.execute();
    return { id, requestId: (await this.detail(id)).byAdmins.requestId };
  }

  /** A failed withdrawal of a new user: of 200000.00 the amount stays reserved. */
  async failedWithdrawal(amount = '100.00'): Promise<{ withdrawalId: string; ann: TestUser }> {
    const { id, ann } = await this.withdrawals.processing(amount);
    await this.withdrawals.fail(id);
    return { withdrawalId: id, ann };
  }

  async detail(id: string) {
    return (await this.platform.as(this.admin).get(`${TRANSACTIONS}/${id}`)).data;
  }

  async requests(query = '') {
    return (await this.platform.as(this.admin).get(`${REQUESTS}?limit=100${query}`)).data;
  }

  async balance(user: TestUser) {
    const { available, invested, reserved, breakdown } = (
      await this.platform.as(user).get('/api/user/balance')
    ).data;
    return { available, invested, reserved, ...breakdown };
  }

  /** What an account of the platform holds; tokens count positive. */
  async held(kind: 'asset.custody' | 'asset.deposit-provider' | 'suspense'): Promise<string> {
    const [row] = await this.platform.dataSource.query(
      `select abs(coalesce(sum(entry.amount), 0))::numeric(30,2)::text as held from ledger_entry as entry
         join ledger_account as account on account.id = entry.account_id where account.kind = $1 and entry.asset = 'USDC'`,
      [kind],
    );
    return row.held;
  }

  /** What the audit log has of a subject, in order. */
  async audited(subjectId: string): Promise<string[]> {
    const rows = await this.platform.dataSource.query(
      `select actor || ' ' || action as deed from audit_entry where subject_id = $1 order by recorded_at`,
      [subjectId],
    );
    return rows.map(({ deed }: { deed: string }) => deed);
  }
}

export async function treasurySteps(platform: TestPlatform): Promise<TreasurySteps> {
  const admin2 = await platform.given.admin('admin2');
  const withdrawals = await withdrawalSteps(platform);
  return new TreasurySteps(platform, withdrawals, withdrawals.admin, admin2);
}

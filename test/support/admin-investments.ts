import type { TestAdmin, TestUser } from './given.js';
import { InvestmentSteps } from './investments.js';
import type { TestPlatform } from './platform.js';

export const ADMIN_INVESTMENTS = '/api/admin/investments';

/** Investments as admins see them and decide about them; `admin` acts unless another is named. */
export class AdminInvestmentSteps extends InvestmentSteps {
  constructor(
    private readonly stage: TestPlatform,
    readonly admin: TestAdmin,
  ) {
    super(stage);
  }

  approve = (id: string, by = this.admin) => this.stage.as(by).put(`${ADMIN_INVESTMENTS}/${id}/approve`);
  reject = (id: string, reason: unknown = 'No', by = this.admin) =>
    this.stage.as(by).put(`${ADMIN_INVESTMENTS}/${id}/reject`, { reason });
  closeFor = (id: string, amount?: unknown, by = this.admin) =>
    this.stage.as(by).post(`${ADMIN_INVESTMENTS}/${id}/close`, amount === undefined ? {} : { amount });

  adminDetail = async (id: string) =>
    (await this.stage.as(this.admin).get(`${ADMIN_INVESTMENTS}/${id}`)).data;
  all = (query = '') => this.stage.as(this.admin).get(`${ADMIN_INVESTMENTS}${query}`);
  queue = (query = '') => this.stage.as(this.admin).get(`${ADMIN_INVESTMENTS}/pending${query}`);

  newestNote = async (user: TestUser): Promise<string> =>
    (await this.stage.as(user).get('/api/user/notifications?type=investment')).data[0].message;
  auditOf = (id: string) =>
    this.stage.dataSource.query(
      `select actor, action, reason, before, after from audit_entry where subject_id = $1 order by id`,
      [id],
    );

  /** Of a new user, who has 10000.00 before it; pending where it is above the platform's threshold. */
  async ofNewUser(amount: string, strategyId = 'balanced-10'): Promise<{ id: string; ann: TestUser }> {
    const ann = await this.stage.given.user().withBalance('10000.00');
    return { id: await this.made(ann, amount, strategyId), ann };
  }
}

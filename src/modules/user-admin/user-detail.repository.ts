import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { fail } from '../../common/errors/domain-error.js';
import { Money } from '../../common/money.js';
import type { Network } from '../deposits/domain/networks.js';
import { PortfolioService } from '../investments/portfolio.service.js';
import type { InvestmentItemResponse } from '../investments/dto/investment.response.js';
import type { UserStatus } from '../users/users.types.js';
import { Compliance, NOT_CHECKED, type ComplianceFigures } from '../users/domain/compliance.js';
import {
  asListedUser,
  HOLDINGS,
  LISTED_COLUMNS,
  type ListedUser,
  type StoredListed,
} from './user-admin.types.js';

export interface UserAccount {
  readonly name: string | null;
  readonly language: string;
  readonly currency: string;
  readonly notifyEmail: boolean;
  readonly notifyPush: boolean;
  /** An admin's e-mail address; null when the user's own first sign-in made the account. */
  readonly createdBy: string | null;
}

export interface UserDetail extends ListedUser, UserAccount {
  /** Available and invested. */
  readonly balance: Money;
  readonly closedInvestments: number;
  /** Principal of the largest investment ever made; null without any. */
  readonly largestInvestment: Money | null;
  /** With the most principal of all investments ever made; null without any. */
  readonly preferredStrategy: string | null;
  readonly newestInvestments: readonly InvestmentItemResponse[];
  readonly activity: readonly Activity[];
  readonly compliance: ComplianceFigures;
}

export interface Activity {
  readonly type: string;
  readonly description: string;
  readonly at: Date;
}

export interface PastStatus {
  readonly status: UserStatus;
  readonly reason: string | null;
  readonly changedAt: Date;
  readonly changedBy: string;
}

export interface ChangedUser extends UserAccount {
  readonly id: string;
  readonly email: string;
  readonly status: UserStatus;
  readonly walletAddress: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** The newest first. */
  readonly history: readonly PastStatus[];
}

/** Where a user may have deposited to. */
export interface DepositWallet {
  readonly address: string;
  readonly network: Network;
  readonly currency: string;
  readonly createdAt: Date;
}

const INVESTMENTS = 100;
const ACTIVITIES = 20;
const STATUSES = 100;

const ACCOUNT = `u.full_name as name, u.language, u.currency, u.notify_email as "notifyEmail",
  u.notify_push as "notifyPush", u.created_by as "createdBy"`;

type StoredDetail = StoredListed &
  UserAccount & {
    balance: string;
    closedInvestments: number;
    largestInvestment: string | null;
    preferredStrategy: string | null;
  };

/** One user with everything that is known. */
@Injectable()
export class UserDetailRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly investments: PortfolioService,
    private readonly compliance: Compliance,
  ) {}

  /** Throws USER_NOT_FOUND. */
  async detail(id: string): Promise<UserDetail> {
    const [row] = await this.dataSource.query<StoredDetail[]>(
      `select ${LISTED_COLUMNS}, ${HOLDINGS} as holdings, ${ACCOUNT},
              (select coalesce(sum(balance), 0) from ledger_account
                where owner_id = u.id and kind in ('user.available', 'user.invested') and asset = 'USDC') as balance,
              (select count(*)::int from investment where user_id = u.id and status = 'closed') as "closedInvestments",
              (select max(amount + closed_principal) from investment where user_id = u.id) as "largestInvestment",
              (select strategy_id from investment where user_id = u.id
                group by strategy_id order by sum(amount + closed_principal) desc, strategy_id limit 1) as "preferredStrategy"
         from platform_user as u join user_figures as f on f.user_id = u.id where u.id = $1`,
      [id],
    );
    if (!row) return fail('USER_NOT_FOUND');
    const newest = { page: 1, limit: INVESTMENTS, sortBy: 'createdAt', orderBy: 'desc' } as const;
    const { data: newestInvestments } = await this.investments.list(id, newest);
    const figures = await this.compliance.figuresOf([id]);
    return {
      ...row,
      ...asListedUser(row),
      balance: Money.of(row.balance),
      largestInvestment: row.largestInvestment === null ? null : Money.of(row.largestInvestment),
      newestInvestments,
      activity: await this.activityOf(id),
      compliance: figures.get(id) ?? NOT_CHECKED,
    };
  }

  /** An account as a transaction sees it, with how its status came about. Throws USER_NOT_FOUND. */
  async account(id: string, manager: EntityManager = this.dataSource.manager): Promise<ChangedUser> {
    const [row] = await manager.query<Omit<ChangedUser, 'history'>[]>(
      `select u.id, u.email, u.status, first_wallet(u.id) as "walletAddress", u.created_at as "createdAt",
              u.updated_at as "updatedAt", ${ACCOUNT}
         from platform_user as u where u.id = $1`,
      [id],
    );
    if (!row) return fail('USER_NOT_FOUND');
    const history = await manager.query<PastStatus[]>(
      `select status, reason, changed_at as "changedAt", changed_by as "changedBy"
         from user_status_change where user_id = $1 order by id desc limit ${STATUSES}`,
      [id],
    );
    return { ...row, history };
  }

  /** At most one for each network and currency. */
  async depositWalletsOf(id: string): Promise<DepositWallet[]> {
    return this.dataSource.query<DepositWallet[]>(
      `select address, network, currency, created_at as "createdAt"
         from deposit_address where user_id = $1 order by created_at, id`,
      [id],
    );
  }

  private async activityOf(id: string): Promise<Activity[]> {
    return this.dataSource.query<Activity[]>(
      `(select type, description, created_at as at from user_transaction where user_id = $1
         order by created_at desc, id desc limit ${ACTIVITIES})
       union all
       (select 'status', 'Status ' || status || coalesce(': ' || reason, ''), changed_at from user_status_change
         where user_id = $1 order by id desc limit ${ACTIVITIES})
       order by at desc limit ${ACTIVITIES}`,
      [id],
    );
  }
}

import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { wasMoved } from '../../../lists/list-rows.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { Money } from '../../../common/money.js';
import { navTableParameter } from '../../investing/investments/investment-values.repository.js';
import type { NavDays } from '../../investing/strategies/strategies.types.js';
import type { LockColumns } from '../../identity/users/domain/account-lock.js';
import type { HoldColumns } from '../../identity/users/domain/security-hold.js';
import type {
  AccountWithFigures,
  AccountWithHistory,
  FinalFigures,
  StatusHistoryEntry,
  UserAccount,
  UserActivity,
} from './user-admin.types.js';
import { holdColumns, lockColumns, lockReason } from '../../identity/users/account-changes.repository.js';
import { toUserWithFigures, userColumns, type StoredUser } from './user-list.repository.js';

const ACTIVITIES = 20;
const HISTORY_ENTRIES = 100;

const ACCOUNT_COLUMNS = `u.full_name as name, u.language, u.currency, u.notify_email as "notifyEmail",
  u.notify_push as "notifyPush", u.created_by as "createdBy"`;

type StoredDetail = StoredUser &
  UserAccount &
  HoldColumns &
  LockColumns & {
    balance: string;
    closedInvestments: number;
    failedTransactions: number;
    largestInvestment: string | null;
    preferredStrategy: string | null;
  };

/** Reads one user with data of the modules users, wallets, strategies, investments, ledger and transactions. */
@Injectable()
export class UserDetailRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The amount paid into an investment is `amount` (present principal) plus `closed_principal` (part of partial closings). */
  async findAccountWithFigures(id: string, days: NavDays): Promise<AccountWithFigures | undefined> {
    const [row] = await this.dataSource.query<StoredDetail[]>(
      `select ${userColumns(2)}, ${ACCOUNT_COLUMNS}, ${holdColumns('u')}, ${lockColumns('u')}, ${lockReason('u')},
              (select coalesce(sum(balance), 0) from ledger_account
                where owner_id = u.id and kind in ('user.available', 'user.invested') and asset = 'USDC') as balance,
              (select count(*)::int from investment
                where user_id = u.id and status = 'closed' and not ${wasMoved('investment')}) as "closedInvestments",
              (select count(*)::int from user_transaction where user_id = u.id and status = 'failed') as "failedTransactions",
              (select max(amount + closed_principal) from investment
                where user_id = u.id and not ${wasMoved('investment')}) as "largestInvestment",
              (select strategy_id from investment where user_id = u.id and not ${wasMoved('investment')}
                group by strategy_id order by sum(amount + closed_principal) desc, strategy_id limit 1) as "preferredStrategy"
         from platform_user as u join user_figures as f on f.user_id = u.id where u.id = $1`,
      [id, navTableParameter(days)],
    );
    if (!row) return undefined;
    const { balance, largestInvestment } = row;
    return {
      ...row,
      ...toUserWithFigures(row),
      balance: Money.of(balance),
      largestInvestment: largestInvestment === null ? null : Money.of(largestInvestment),
    };
  }

  async findAccount(
    id: string,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<AccountWithHistory | undefined> {
    const [row] = await manager.query<Omit<AccountWithHistory, 'history'>[]>(
      `select u.id, u.email, u.status, first_wallet(u.id) as "walletAddress", u.created_at as "createdAt",
              u.updated_at as "updatedAt", ${ACCOUNT_COLUMNS}
         from platform_user as u where u.id = $1`,
      [id],
    );
    return row && { ...row, history: await this.findStatusHistory(id, manager) };
  }

  /** The newest first. */
  findStatusHistory(
    userId: string,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<StatusHistoryEntry[]> {
    return manager.query<StatusHistoryEntry[]>(
      `select status, reason, changed_at as "changedAt", changed_by as "changedBy"
         from user_status_change where user_id = $1 order by id desc limit ${HISTORY_ENTRIES}`,
      [userId],
    );
  }

  /** The newest transactions and changes of the status, newest first. */
  findActivity(userId: string): Promise<UserActivity[]> {
    return this.dataSource.query<UserActivity[]>(
      `select type, description, at from (
         (select type, description, created_at as at, null::bigint as change_id, id as transaction_id from user_transaction
           where user_id = $1 order by created_at desc, id desc limit ${ACTIVITIES})
         union all
         (select 'status', 'Status ' || status || coalesce(': ' || reason, ''), changed_at, id, null::uuid
            from user_status_change where user_id = $1 order by id desc limit ${ACTIVITIES})) as activity
        order by at desc, change_id desc, transaction_id desc limit ${ACTIVITIES}`,
      [userId],
    );
  }

  /** The user's lifetime figures, from the ledger itself, with the open investments and the reserved money that prevent a removal. */
  async findFinalFigures(
    tx: Tx,
    userId: string,
  ): Promise<(FinalFigures & { openInvestments: number; reserved: Money }) | undefined> {
    const [row] = await tx.query<
      { open: number; reserved: string; invested: string; withdrawn: string; earnings: string }[]
    >(
      `select (select count(*)::int from investment where user_id = $1 and status in ('pending', 'active')) as open,
              coalesce((select balance from ledger_account
                where owner_id = $1 and kind = 'user.reserved' and scope = '' and asset = 'USDC'), 0) as reserved,
              total_invested as invested, total_withdrawn as withdrawn, total_earnings as earnings
         from user_figures_recomputed where user_id = $1`,
      [userId],
    );
    return (
      row && {
        openInvestments: row.open,
        reserved: Money.of(row.reserved),
        totalInvested: Money.of(row.invested),
        totalWithdrawn: Money.of(row.withdrawn),
        totalEarnings: Money.of(row.earnings),
      }
    );
  }
}

import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { write } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { deleteBatch } from '../../../jobs/delete-batch.js';
import { wasMoved } from '../../../lists/list-rows.js';
import { Money } from '../../../common/money.js';
import { navTableParameter } from '../../investing/investments/investment-values.repository.js';
import type { NavDays } from '../../investing/strategies/strategies.types.js';
import type { LockColumns, HoldColumns } from '../../identity/users/domain/account-restrictions.js';
import type {
  AccountWithFigures,
  AccountWithHistory,
  FinalFigures,
  StatusHistoryEntry,
  UserAccount,
} from './user-admin.types.js';
import { holdColumns, lockColumns, lockReason } from '../../identity/users/account-changes.repository.js';
import { TEST_USERS } from '../../identity/users/users.repository.js';
import { transactionCount } from '../../portfolio/transactions/transactions.repository.js';
import { toUserWithFigures, userColumns, type StoredUser } from './user-list.repository.js';

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

const RECOMPUTE_FIGURES = `
  update user_figures as stored
     set (investments, total_invested, total_withdrawn, total_earnings, invested)
         = (computed.investments, computed.total_invested, computed.total_withdrawn, computed.total_earnings,
            computed.invested)
    from user_figures_recomputed as computed
   where computed.user_id = any($1::uuid[]) and stored.user_id = computed.user_id
     and (stored.investments, stored.total_invested, stored.total_withdrawn, stored.total_earnings, stored.invested)
         is distinct from (computed.investments, computed.total_invested, computed.total_withdrawn, computed.total_earnings,
                           computed.invested)`;

/** Reads one user with data of the modules users, wallets, investments, ledger and transactions. Writes `user_figures`. */
@Injectable()
export class UserAdminRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The amount paid into an investment is `amount`, its present principal, plus `closed_principal`, that of its partial closings. */
  async findAccountWithFigures(id: string, days: NavDays): Promise<AccountWithFigures | undefined> {
    const [row] = await this.dataSource.query<StoredDetail[]>(
      `select ${userColumns(2)}, ${ACCOUNT_COLUMNS}, ${holdColumns('u')}, ${lockColumns('u')}, ${lockReason('u')},
              (select coalesce(sum(balance), 0) from ledger_account
                where owner_id = u.id and kind in ('user.available', 'user.invested') and asset = 'USDC') as balance,
              (select count(*)::int from investment
                where user_id = u.id and status = 'closed' and not ${wasMoved('investment')}) as "closedInvestments",
              ${transactionCount('u.id', 'failed')} as "failedTransactions",
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

  /** Computes the lifetime figures of users from the ledger. */
  recomputeFigures(tx: Tx, userIds: readonly string[]): void {
    write(tx, RECOMPUTE_FIGURES, [userIds]);
  }

  /** Reads `ledger_account` of the module ledger, which refers to users without a foreign key. */
  async hasLedgerAccount(tx: Tx, userId: string): Promise<boolean> {
    const accounts = await tx.query<unknown[]>('select 1 from ledger_account where owner_id = $1 limit 1', [
      userId,
    ]);
    return accounts.length > 0;
  }

  /**
   * Deletes a batch of the idempotency results of test users that were stored at `until` or earlier, and returns their number.
   * The table belongs to the idempotency interceptor in src/http, which is a lower layer and does not know users.
   */
  deleteIdempotencyResultsOfTestUsers(tx: Tx, adminEmails: readonly string[], until: Date): Promise<number> {
    const condition = `created_at <= $2 and caller in (select 'user:' || id from ${TEST_USERS})`;
    return deleteBatch(tx, { table: 'idempotency_result', condition, parameters: [adminEmails, until] });
  }
}

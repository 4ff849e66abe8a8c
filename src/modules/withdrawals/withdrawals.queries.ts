import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppConfig } from '../../config/app-config.js';
import { offsetOf, type Rows } from '../../http/request/pagination.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { Money } from '../../common/money.js';
import { Withdrawal } from './entities/withdrawal.entity.js';
import { COUNTED, LIMIT_WINDOW_MS } from './withdrawals.repository.js';

export interface WithdrawalAllowance {
  readonly leftOfDailyLimit: Money;
  /** Withdrawals of all users are paused. */
  readonly isPaused: boolean;
}

/** What users and other modules read of withdrawals. */
@Injectable()
export class WithdrawalQueries {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {}

  /** A user's own, newest first. */
  async list(userId: string, page: { page: number; limit: number }): Promise<Rows<Withdrawal>> {
    const [rows, total] = await this.dataSource.getRepository(Withdrawal).findAndCount({
      where: { userId },
      order: { createdAt: 'desc', id: 'desc' },
      skip: offsetOf(page),
      take: page.limit,
    });
    return { rows, total };
  }

  /** Throws WITHDRAWAL_NOT_FOUND; PERMISSION_DENIED for another user's. */
  async get(id: string, userId: string): Promise<Withdrawal> {
    const withdrawal = await this.dataSource.getRepository(Withdrawal).findOneBy({ id });
    if (!withdrawal) fail('WITHDRAWAL_NOT_FOUND');
    return withdrawal.userId === userId ? withdrawal : fail('PERMISSION_DENIED');
  }

  /** What a withdrawal of a user would be asked for now, beside the balance. */
  async allowanceOf(userId: string): Promise<WithdrawalAllowance> {
    const since = new Date(this.clock.now().getTime() - LIMIT_WINDOW_MS);
    const [row] = await this.dataSource.query<{ used: string; isPaused: boolean }[]>(
      `select coalesce(sum(amount), 0) as used,
              exists (select from withdrawal_pause where resumed_at is null) as "isPaused"
         from withdrawal as counted where user_id = $1 and created_at > $2 and ${COUNTED}`,
      [userId, since],
    );
    const left = this.config.WITHDRAWAL_DAILY_LIMIT.minus(Money.of(row?.used ?? '0'));
    return { leftOfDailyLimit: Money.max(left, Money.ZERO), isPaused: row?.isPaused ?? false };
  }

  /** When the oldest withdrawal that an operator still has to deal with was requested; null when there is none. */
  async oldestOpen(): Promise<Date | null> {
    const [row] = await this.dataSource.query<{ oldest: Date | null }[]>(
      `select min(created_at) as oldest from withdrawal where status in ('pending', 'approved', 'processing')`,
    );
    return row?.oldest ?? null;
  }
}

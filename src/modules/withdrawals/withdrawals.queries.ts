import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { offsetOf, type Rows } from '../../http/pagination/page.js';
import { fail } from '../../kernel/errors/domain-error.js';
import { WithdrawalEntity } from './withdrawal.entity.js';

/** What users and other modules read of withdrawals. */
@Injectable()
export class WithdrawalQueries {
  constructor(private readonly dataSource: DataSource) {}

  /** A user's own, newest first. */
  async list(userId: string, page: { page: number; limit: number }): Promise<Rows<WithdrawalEntity>> {
    const [rows, total] = await this.dataSource.getRepository(WithdrawalEntity).findAndCount({
      where: { userId },
      order: { createdAt: 'desc', id: 'desc' },
      skip: offsetOf(page),
      take: page.limit,
    });
    return { rows, total };
  }

  /** Throws WITHDRAWAL_NOT_FOUND; PERMISSION_DENIED for another user's. */
  async get(id: string, userId: string): Promise<WithdrawalEntity> {
    const withdrawal = await this.dataSource.getRepository(WithdrawalEntity).findOneBy({ id });
    if (!withdrawal) fail('WITHDRAWAL_NOT_FOUND');
    return withdrawal.userId === userId ? withdrawal : fail('PERMISSION_DENIED');
  }

  /** When the oldest withdrawal that an operator still has to deal with was requested; null when there is none. */
  async oldestOpen(): Promise<Date | null> {
    const [row] = await this.dataSource.query<{ oldest: Date | null }[]>(
      `select min(created_at) as oldest from withdrawal where status in ('pending', 'approved', 'processing')`,
    );
    return row?.oldest ?? null;
  }
}

import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, type Repository } from 'typeorm';
import type { TransactionRead } from '../../database/transaction-calls.js';
import type { Tx } from '../../database/unit-of-work.js';
import { WithdrawalPause } from './entities/withdrawal-pause.entity.js';

/** SQL condition: withdrawals are paused. */
export const IS_PAUSED = 'withdrawals_are_paused()';

@Injectable()
export class WithdrawalPausesRepository {
  constructor(@InjectRepository(WithdrawalPause) private readonly pauses: Repository<WithdrawalPause>) {}

  /** Serialises pausing and resuming until the commit. Returns the current pause; null while withdrawals are not paused. */
  async lockPause(tx: Tx): Promise<WithdrawalPause | null> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('withdrawal-pause', 0))`);
    return tx.findOneBy(WithdrawalPause, { resumedAt: IsNull() });
  }

  /** The current pause; null while withdrawals are not paused. */
  findPause(): Promise<WithdrawalPause | null> {
    return this.pauses.findOneBy({ resumedAt: IsNull() });
  }

  /** For `readTogether`: whether withdrawals are paused, without a lock. */
  pausedRead(): TransactionRead<boolean> {
    return { name: 'withdrawals_are_paused', parameters: [], toResult: (isPaused: boolean) => isPaused };
  }

  async insertPause(tx: Tx, pause: WithdrawalPause): Promise<void> {
    await tx.insert(WithdrawalPause, pause);
  }

  async endPause(
    tx: Tx,
    id: string,
    end: Pick<WithdrawalPause, 'resumedAt' | 'resumedBy' | 'resumeReason'>,
  ): Promise<void> {
    await tx.update(WithdrawalPause, id, end);
  }
}

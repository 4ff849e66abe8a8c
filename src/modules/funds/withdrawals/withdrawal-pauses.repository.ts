import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, type Repository } from 'typeorm';
import { lockName, read } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { WithdrawalPause } from './entities/withdrawal-pause.entity.js';

/** SQL condition: withdrawals are paused. */
export const IS_PAUSED = 'exists (select from withdrawal_pause where resumed_at is null)';

@Injectable()
export class WithdrawalPausesRepository {
  constructor(@InjectRepository(WithdrawalPause) private readonly pauses: Repository<WithdrawalPause>) {}

  /** Serialises pausing and resuming until the commit. Returns the current pause; null while withdrawals are not paused. */
  async lockPause(tx: Tx): Promise<WithdrawalPause | null> {
    await lockName(tx, 'withdrawal-pause');
    return tx.findOneBy(WithdrawalPause, { resumedAt: IsNull() });
  }

  /** The current pause; null while withdrawals are not paused. */
  findPause(): Promise<WithdrawalPause | null> {
    return this.pauses.findOneBy({ resumedAt: IsNull() });
  }

  /** Whether withdrawals are paused. Takes no lock. */
  async isPaused(tx: Tx): Promise<boolean> {
    return (await read(tx, `select where ${IS_PAUSED}`)).length > 0;
  }

  async insertPause(
    tx: Tx,
    pause: Pick<WithdrawalPause, 'id' | 'since' | 'pausedBy' | 'reason'>,
  ): Promise<void> {
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

import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../database/unit-of-work.js';
import { Clock } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { newId } from '../../../common/ids.js';
import { AuditService, SYSTEM, type AuditActor } from '../../core/audit/audit.service.js';
import type { WithdrawalPause } from './entities/withdrawal.entity.js';
import { WithdrawalPausesRepository } from './withdrawals.repository.js';
import type { PauseCause } from './withdrawals.types.js';

export type CurrentPause = Pick<WithdrawalPause, 'id' | 'since' | 'pausedBy' | 'reason'>;

const RETRY_AFTER_SECONDS = 300; // a pause lasts until an admin has examined its cause

/** Pauses and resumes withdrawals. During a pause no withdrawal is requested, approved, taken or executed. */
@Injectable()
export class WithdrawalPausesService {
  constructor(
    private readonly pauses: WithdrawalPausesRepository,
    private readonly clock: Clock,
    private readonly audit: AuditService,
  ) {}

  /** Throws WITHDRAWALS_PAUSED. Reads `withdrawal_pause` each time, so that a committed pause applies everywhere at once. */
  async requireNoPause(tx: Tx): Promise<void> {
    requireUnpaused(await this.isPaused(tx));
  }

  isPaused(tx: Tx): Promise<boolean> {
    return this.pauses.isPaused(tx);
  }

  /** Null while withdrawals are not paused. */
  findCurrentPause(): Promise<CurrentPause | null> {
    return this.pauses.findPause();
  }

  /** Throws INVALID_STATE while withdrawals are not paused. */
  async getCurrentPause(): Promise<CurrentPause> {
    return (await this.findCurrentPause()) ?? failNotPaused();
  }

  /** Serialises pausing and resuming until the commit. Returns the current pause; null while withdrawals are not paused. */
  lockPause(tx: Tx): Promise<CurrentPause | null> {
    return this.pauses.lockPause(tx);
  }

  /** Throws INVALID_STATE while withdrawals are paused. */
  async pauseWithdrawals(tx: Tx, by: { readonly email: string }, reason: string): Promise<CurrentPause> {
    if (await this.lockPause(tx)) failPaused();
    const pause = { id: newId(), since: this.clock.now(), pausedBy: by.email, reason };
    await this.pauses.insertPause(tx, pause);
    await this.audit.record(tx, by, {
      action: 'withdrawals.pause',
      subject: subjectOf(pause),
      reason,
      before: { status: 'open' },
      after: { status: 'paused', since: pause.since },
    });
    return pause;
  }

  /** Ends the pause; the audit log stores the violations that the admin accepts. Throws INVALID_STATE without a pause. */
  async resumeWithdrawals(
    tx: Tx,
    by: AuditActor,
    reason: string,
    acceptedViolations: readonly string[],
  ): Promise<CurrentPause> {
    const ended = (await this.lockPause(tx)) ?? failNotPaused();
    const end = { resumedAt: this.clock.now(), resumedBy: by.email, resumeReason: reason };
    await this.pauses.endPause(tx, ended.id, end);
    await this.audit.record(tx, by, {
      action: 'withdrawals.resume',
      subject: subjectOf(ended),
      reason,
      before: { status: 'paused', since: ended.since, pausedBy: ended.pausedBy, reason: ended.reason },
      after: { status: 'open', stillBroken: acceptedViolations },
    });
    return ended;
  }
}

/** The integrity check pauses withdrawals as `system`, an admin under an e-mail address. */
export function causeOfPause(pausedBy: string): PauseCause {
  return pausedBy === SYSTEM.email ? 'integrity-check' : 'admin';
}

/** Throws WITHDRAWALS_PAUSED. */
export function requireUnpaused(isPaused: boolean): void {
  if (isPaused) throwError('WITHDRAWALS_PAUSED', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function failPaused(): never {
  throwError('INVALID_STATE', { status: 'paused', action: 'pause', allowedFrom: ['open'] });
}

function failNotPaused(): never {
  throwError('INVALID_STATE', { status: 'open', action: 'resume', allowedFrom: ['paused'] });
}

const subjectOf = ({ id }: CurrentPause) => ({ type: 'withdrawal-pause', id });

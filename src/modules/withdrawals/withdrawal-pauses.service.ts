import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { prepared } from '../../database/prepared.js';
import type { Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { newId } from '../../common/ids.js';
import { StateMachine } from '../../common/state-machine.js';
import { AuditService } from '../audit/audit.service.js';

export interface WithdrawalPause {
  readonly id: string;
  /** Domain time. */
  readonly since: Date;
  /** An admin's e-mail address, or `system`. */
  readonly pausedBy: string;
  readonly reason: string;
}

const STATES = new StateMachine<'open' | 'paused', 'pause' | 'resume'>([
  { verb: 'pause', from: ['open'], to: 'paused' },
  { verb: 'resume', from: ['paused'], to: 'open' },
]);

const RETRY_AFTER_SECONDS = 300; // a person has to look at it first

/** The stop button: while withdrawals are paused none is requested, approved or set in motion. */
@Injectable()
export class WithdrawalPausesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly audit: AuditService,
  ) {}

  /**
   * Refuses with WITHDRAWALS_PAUSED. Reads the row itself, not a memory of it: whatever asks after a pause was
   * committed is refused, on every replica.
   */
  async requireOpen(tx: Tx): Promise<void> {
    const [pause] = await tx.query<unknown[]>(
      prepared('select from withdrawal_pause where resumed_at is null'),
    );
    if (pause) fail('WITHDRAWALS_PAUSED', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  /** Null while withdrawals are open. */
  async current(manager: EntityManager = this.dataSource.manager): Promise<WithdrawalPause | null> {
    const [pause] = await manager.query<WithdrawalPause[]>(
      'select id, since, paused_by as "pausedBy", reason from withdrawal_pause where resumed_at is null',
    );
    return pause ?? null;
  }

  /** Refuses with INVALID_STATE while withdrawals are open. */
  async requirePaused(): Promise<void> {
    STATES.next((await this.current()) ? 'paused' : 'open', 'resume');
  }

  /** Those who pause, resume or decide about it wait here for one another. */
  async lock(tx: Tx): Promise<WithdrawalPause | null> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('withdrawal-pause', 0))`);
    return this.current(tx);
  }

  /** Throws INVALID_STATE while they are paused. */
  async pause(tx: Tx, by: { readonly email: string }, reason: string): Promise<WithdrawalPause> {
    STATES.next((await this.lock(tx)) ? 'paused' : 'open', 'pause');
    const pause = { id: newId(), since: this.clock.now(), pausedBy: by.email, reason };
    await tx.query('insert into withdrawal_pause (id, since, paused_by, reason) values ($1, $2, $3, $4)', [
      pause.id,
      pause.since,
      pause.pausedBy,
      pause.reason,
    ]);
    await this.audit.record(tx, by, {
      action: 'withdrawals.pause',
      subject: subjectOf(pause),
      reason,
      before: { status: 'open' },
      after: { status: 'paused', since: pause.since },
    });
    return pause;
  }

  /**
   * Ends the pause that there is; `stillBroken` names the laws that whoever resumes takes as they are. Throws
   * INVALID_STATE when there is none.
   */
  async resume(
    tx: Tx,
    by: { readonly email: string },
    reason: string,
    stillBroken: readonly string[],
  ): Promise<WithdrawalPause> {
    const pause = await this.lock(tx);
    STATES.next(pause ? 'paused' : 'open', 'resume');
    const ended = pause as WithdrawalPause;
    await tx.query(
      'update withdrawal_pause set resumed_at = $2, resumed_by = $3, resume_reason = $4 where id = $1',
      [ended.id, this.clock.now(), by.email, reason],
    );
    await this.audit.record(tx, by, {
      action: 'withdrawals.resume',
      subject: subjectOf(ended),
      reason,
      before: { status: 'paused', since: ended.since, pausedBy: ended.pausedBy, reason: ended.reason },
      after: { status: 'open', stillBroken },
    });
    return ended;
  }
}

const subjectOf = ({ id }: WithdrawalPause) => ({ type: 'withdrawal-pause', id });

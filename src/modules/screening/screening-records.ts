import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AppConfig } from '../../config/app-config.js';
import { prepared } from '../../database/prepared.js';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import { AlertsService } from '../alerts/alerts.service.js';
import { AuditService, SYSTEM } from '../audit/audit.service.js';
import { userIdOf, type ScreeningAnswer, type Subject, type Verdict } from './screening-provider.js';

/** The newest verdict on a subject. */
export interface StoredVerdict {
  readonly id: string;
  readonly subject: Subject;
  readonly verdict: Verdict;
  readonly riskScore: number;
  readonly lists: readonly string[];
  readonly reference: string;
  readonly screenedAt: Date;
  /** Within SCREENING_VALID_HOURS, by the database's clock, and about the user's present e-mail address. */
  readonly isFresh: boolean;
  /** A review that an admin accepted, for the user or for the withdrawal that was named. */
  readonly isAccepted: boolean;
}

/** A question that this process may ask. */
export interface Claim {
  readonly subject: Subject;
  readonly attempts: number;
  /** Of a user. */
  readonly email: string | null;
  readonly name: string | null;
}

const LEASE_SECONDS = 6; // longer than the time-out of a question
const FIRST_RETRY_SECONDS = 1;
const LONGEST_RETRY_SECONDS = 300;

const NEWEST = prepared(
  `select newest.id, newest.subject, newest.verdict, newest.risk_score::float8 as "riskScore", newest.lists,
          newest.reference, newest.screened_at as "screenedAt",
          not newest.outdated and newest.screened_at > clock_timestamp() - make_interval(hours => $2) as "isFresh",
          newest.accepted_at is not null or exists (
            select from screening_acceptance as accepted
             where accepted.withdrawal_id = $3::uuid and accepted.subject = newest.subject) as "isAccepted"
     from unnest($1::text[]) as asked (subject)
    cross join lateral (select * from screening_verdict as verdict where verdict.subject = asked.subject
                         order by verdict.id desc limit 1) as newest`,
);

/** The tables of screening: verdicts, questions and acceptances. */
@Injectable()
export class ScreeningRecords {
  private readonly holder = randomUUID();

  constructor(
    private readonly dataSource: DataSource,
    private readonly unitOfWork: UnitOfWork,
    private readonly config: AppConfig,
    private readonly audit: AuditService,
    private readonly alerts: AlertsService,
  ) {}

  /** The newest verdicts, by subject; none for a subject that was never screened. One statement. */
  async newest(
    subjects: readonly Subject[],
    { manager = this.dataSource.manager, withdrawalId = null as string | null }: NewestOptions = {},
  ): Promise<Map<Subject, StoredVerdict>> {
    if (subjects.length === 0) return new Map();
    const rows = await manager.query<StoredVerdict[]>(NEWEST, [
      subjects,
      this.config.SCREENING_VALID_HOURS,
      withdrawalId,
    ]);
    return new Map(rows.map((row) => [row.subject, row]));
  }

  /** Has the background job ask soon. */
  async insertQuestion(tx: Tx, subject: Subject): Promise<void> {
    await tx.query(
      prepared(`insert into screening_question (subject, user_id, due_at) values ($1, $2, clock_timestamp())
                on conflict (subject) do nothing`),
      [subject, userIdOf(subject)],
    );
  }

  /** Questions that are due and that no process is asking, the longest due first. */
  async due(limit: number): Promise<Subject[]> {
    const rows = await this.dataSource.query<{ subject: Subject }[]>(
      `select subject from screening_question
        where due_at <= clock_timestamp() and (asking_until is null or asking_until < clock_timestamp())
        order by due_at, subject limit $1`,
      [limit],
    );
    return rows.map(({ subject }) => subject);
  }

  /** Undefined while another process asks, and when there is a fresh verdict by now. */
  async claim(subject: Subject): Promise<Claim | undefined> {
    const { SCREENING_VALID_HOURS: hours } = this.config;
    const [claim] = await this.dataSource.query<Claim[]>(
      claiming(`
        insert into screening_question as question (subject, user_id, due_at, holder, asking_until)
        select $1, $4::uuid, clock_timestamp(), $2::uuid, clock_timestamp() + make_interval(secs => $3)
         where not exists (${freshVerdict('$5')})
            on conflict (subject) do update set holder = excluded.holder, asking_until = excluded.asking_until
             where question.asking_until is null or question.asking_until < clock_timestamp()`),
      [subject, this.holder, LEASE_SECONDS, userIdOf(subject), hours],
    );
    if (!claim) return undefined;
    // Another process may have stored its verdict while the statement above waited for the lock of its question.
    const answered = await this.dataSource.query<unknown[]>(
      `with answered as (
         delete from screening_question where subject = $1 and holder = $3 and exists (${freshVerdict('$2')})
         returning subject)
       select from answered`,
      [subject, hours, this.holder],
    );
    return answered.length > 0 ? undefined : claim;
  }

  /** A question that is still to be asked. Undefined while another process asks, and when it was answered. */
  async claimDue(subject: Subject): Promise<Claim | undefined> {
    const [claim] = await this.dataSource.query<Claim[]>(
      claiming(`
        update screening_question as question
           set holder = $2, asking_until = clock_timestamp() + make_interval(secs => $3)
         where subject = $1 and (asking_until is null or asking_until < clock_timestamp())`),
      [subject, this.holder, LEASE_SECONDS],
    );
    return claim;
  }

  async isBeingAsked(subject: Subject): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      'select from screening_question where subject = $1 and asking_until > clock_timestamp()',
      [subject],
    );
    return rows.length > 0;
  }

  /**
   * Stores the verdict and ends the question; stores nothing when another process has taken the question over since,
   * because its answer is newer. The user's row is locked first: an e-mail address that changed since the question makes
   * the verdict outdated, and leaves the question to be asked again.
   */
  async storeVerdict({ subject, email }: Claim, answer: ScreeningAnswer): Promise<void> {
    const userId = userIdOf(subject);
    await this.unitOfWork.runInNewTransaction(async (tx) => {
      const [owner] = userId
        ? await tx.query<{ email: string }[]>('select email from platform_user where id = $1 for share', [
            userId,
          ])
        : [];
      if (userId && !owner) return; // erased meanwhile, and the question with the user
      const held = await tx.query<unknown[]>(
        'select from screening_question where subject = $1 and holder = $2 for update',
        [subject, this.holder],
      );
      if (held.length === 0) return; // the lease ran out before the answer came
      const isOutdated = userId !== null && owner?.email !== email;
      await tx.query(
        `insert into screening_verdict
           (subject, user_id, verdict, risk_score, lists, reference, screened_at, outdated)
         values ($1, $2, $3, $4, $5, $6, clock_timestamp(), $7)`,
        [subject, userId, answer.verdict, answer.riskScore, answer.lists, answer.reference, isOutdated],
      );
      await tx.query(
        isOutdated
          ? 'update screening_question set holder = null, asking_until = null where subject = $1'
          : 'delete from screening_question where subject = $1',
        [subject],
      );
      if (answer.verdict === 'blocked') await this.recordBlocked(tx, subject, answer);
    });
  }

  /** Back-off: doubled after each failure, up to five minutes. */
  async postpone({ subject }: Claim): Promise<void> {
    await this.dataSource.query(
      `update screening_question
          set attempts = attempts + 1, holder = null, asking_until = null,
              due_at = clock_timestamp() + make_interval(secs => least($3 * power(2, least(attempts, 20)), $4))
        where subject = $1 and holder = $2`,
      [subject, this.holder, FIRST_RETRY_SECONDS, LONGEST_RETRY_SECONDS],
    );
  }

  async acceptForUser(tx: Tx, verdictId: string, by: string, reason: string): Promise<Date> {
    const [rows] = await tx.query<[{ at: Date }[], number]>(
      `update screening_verdict set accepted_at = clock_timestamp(), accepted_by = $2, accept_reason = $3
        where id = $1 returning accepted_at as at`,
      [verdictId, by, reason],
    );
    return rows[0]?.at as Date;
  }

  async acceptForWithdrawal(
    tx: Tx,
    withdrawalId: string,
    verdicts: readonly StoredVerdict[],
    by: string,
    reason: string,
  ): Promise<Date> {
    const [row] = await tx.query<{ at: Date }[]>(
      `insert into screening_acceptance (withdrawal_id, subject, reference, reason, accepted_at, accepted_by)
       select $1, subject, reference, $4, now(), $5 from unnest($2::text[], $3::text[]) as accepted (subject, reference)
       returning accepted_at as at`,
      [
        withdrawalId,
        verdicts.map(({ subject }) => subject),
        verdicts.map(({ reference }) => reference),
        reason,
        by,
      ],
    );
    return row?.at as Date;
  }

  private async recordBlocked(tx: Tx, subject: Subject, answer: ScreeningAnswer): Promise<void> {
    const [type, id] = subject.split(':') as [string, string];
    await this.audit.record(tx, SYSTEM, {
      action: 'screening.block',
      subject: { type, id },
      after: { screening: answer.verdict, reference: answer.reference, lists: answer.lists },
    });
    await this.alerts.raise(
      {
        kind: 'screening-blocked',
        subject: { type, id },
        message: `The screening provider blocks this ${type}.`,
        nextStep: 'Reject the withdrawals that are waiting for it, and follow the compliance procedure.',
      },
      tx,
    );
  }
}

/** A query that selects a row if the newest verdict on the subject, parameter 1, is younger than so many hours. */
function freshVerdict(hours: '$2' | '$5'): string {
  return `
    select from (select outdated, screened_at from screening_verdict where subject = $1 order by id desc limit 1) as newest
     where not outdated and screened_at > clock_timestamp() - make_interval(hours => ${hours})`;
}

function claiming(statement: string): string {
  return `with claimed as (${statement} returning question.subject, question.user_id, question.attempts)
          select subject, attempts, email, full_name as name
            from claimed left join platform_user as owner on owner.id = claimed.user_id`;
}

interface NewestOptions {
  manager?: EntityManager;
  /** Reviews that were accepted for this withdrawal count as accepted. */
  withdrawalId?: string | null;
}

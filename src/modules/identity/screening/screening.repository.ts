import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { findRow, findRows } from '../../../database/entity-rows.js';
import { prepared } from '../../../database/prepared.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import {
  userIdOf,
  type ScreeningAnswer,
  type ScreeningResult,
  type StoredVerdict,
  type Subject,
} from './domain/verdict.js';
import { ScreeningAcceptance, ScreeningQuestion } from './entities/screening.entity.js';

export interface VerdictScope {
  /** The transaction that reads the verdicts; without it they are read outside any transaction. */
  readonly manager?: EntityManager;
  /** Reviews that were accepted for this withdrawal count as accepted. */
  readonly withdrawalId?: string | null;
}

/** A question whose lease is held, and the id and time of its verdict. */
interface HeldQuestion {
  readonly subject: Subject;
  readonly verdictId: string;
  readonly screenedAt: Date;
}

interface VerdictRow extends StoredVerdict {
  readonly userId: string | null;
  /** Who has accepted the verdict itself, and why. */
  readonly by: string | null;
  readonly reason: string | null;
  readonly seal: Buffer;
}

const LEASE_SECONDS = 6; // longer than the provider's time-out
const FIRST_RETRY_SECONDS = 1;
const MAX_RETRY_SECONDS = 300;

/**
 * Parameters: the subjects, for how many hours a verdict is fresh, and the withdrawal for which acceptances count (nullable). `acceptedBy`
 * has the admins who have accepted the verdict for this withdrawal, and the one who has accepted the verdict itself.
 */
const NEWEST_VERDICTS = prepared(
  `select newest.id, newest.subject, newest.verdict, newest.risk_score::float8 as "riskScore", newest.lists,
          newest.reference, newest.screened_at as "screenedAt", newest.outdated as "isOutdated",
          not newest.outdated and newest.screened_at > clock_timestamp() - make_interval(hours => $2) as "isFresh",
          newest.accepted_at is not null or accepted.by is not null as "isAccepted",
          array_remove(accepted.by || newest.accepted_by, null) as "acceptedBy",
          newest.user_id as "userId", newest.accepted_by as by, newest.accept_reason as reason, newest.seal
     from unnest($1::text[]) as wanted (subject)
    cross join lateral (select * from screening_verdict as verdict where verdict.subject = wanted.subject
                         order by verdict.id desc limit 1) as newest
    cross join lateral (select array_agg(accepted_by) as by from screening_acceptance
                         where withdrawal_id = $3::uuid and subject = newest.subject) as accepted`,
);

/** SQL: selects a row if the newest verdict on the subject `$1` is fresh and not the forged one. The arguments are placeholders. */
function freshVerdict(validHours: '$2' | '$5', forged: '$4' | '$6'): string {
  return `
    select from (select id, outdated, screened_at from screening_verdict where subject = $1 order by id desc limit 1) as newest
     where id is distinct from ${forged}::bigint and not outdated and screened_at > clock_timestamp() - make_interval(hours => ${validHours})`;
}

/** Verdicts, acceptances, and the queue of questions with its leases. All times are the database's. */
@Injectable()
export class ScreeningRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly seals: CredentialSealsService,
  ) {}

  /** The newest verdict by subject. A subject that was never screened, or whose newest verdict is forged, has none. */
  async findNewestVerdicts(
    subjects: readonly Subject[],
    validHours: number,
    { manager = this.dataSource.manager, withdrawalId = null }: VerdictScope = {},
  ): Promise<Map<Subject, StoredVerdict>> {
    if (subjects.length === 0) return new Map();
    const rows = await manager.query<VerdictRow[]>(NEWEST_VERDICTS, [subjects, validHours, withdrawalId]);
    return new Map(rows.filter((row) => this.isAuthentic(row)).map((row) => [row.subject, row]));
  }

  /** The id of the newest verdict if the service has not written it. */
  async findForgedVerdict(subject: Subject, validHours: number): Promise<string | undefined> {
    const [row] = await this.dataSource.query<VerdictRow[]>(NEWEST_VERDICTS, [[subject], validHours, null]);
    return row && !this.isAuthentic(row) ? row.id : undefined;
  }

  /** Queues a subject for the screening job, unless it is queued already. */
  async insertQuestion(tx: Tx, subject: Subject): Promise<void> {
    await tx.query(
      prepared(`insert into screening_question (subject, user_id, due_at) values ($1, $2, clock_timestamp())
                on conflict (subject) do nothing`),
      [subject, userIdOf(subject)],
    );
  }

  /** Subjects of due questions that no process has claimed, the longest due first. */
  async findDueSubjects(limit: number): Promise<Subject[]> {
    const due = `where due_at <= clock_timestamp() and (asking_until is null or asking_until < clock_timestamp())
                 order by due_at, subject limit $1`;
    const questions = await findRows(this.dataSource.manager, ScreeningQuestion, due, [limit]);
    return questions.map(({ subject }) => subject);
  }

  /**
   * Claims the question, and creates it if necessary. False while a process holds it, and if the newest verdict is fresh. `forged` is
   * the id of a verdict that does not count.
   */
  async claimQuestion(
    subject: Subject,
    holder: string,
    validHours: number,
    forged: string | null,
  ): Promise<boolean> {
    const claimed = await this.dataSource.query<unknown[]>(
      `insert into screening_question as question (subject, user_id, due_at, holder, asking_until)
       select $1, $4::uuid, clock_timestamp(), $2::uuid, clock_timestamp() + make_interval(secs => $3)
        where not exists (${freshVerdict('$5', '$6')})
           on conflict (subject) do update set holder = excluded.holder, asking_until = excluded.asking_until
            where question.asking_until is null or question.asking_until < clock_timestamp()
       returning true`,
      [subject, holder, LEASE_SECONDS, userIdOf(subject), validHours, forged],
    );
    if (claimed.length === 0) return false;
    // Another process may have stored its verdict while the statement above waited for the question's lock.
    const [, answered] = await this.dataSource.query<[unknown, number]>(
      `delete from screening_question where subject = $1 and holder = $3 and exists (${freshVerdict('$2', '$4')})`,
      [subject, validHours, holder, forged],
    );
    return answered === 0;
  }

  /** Claims a due question. False while another process holds it, and after it was answered or postponed. */
  async claimQueuedQuestion(subject: Subject, holder: string): Promise<boolean> {
    const [, claimed] = await this.dataSource.query<[unknown, number]>(
      `update screening_question set holder = $2, asking_until = clock_timestamp() + make_interval(secs => $3)
        where subject = $1 and due_at <= clock_timestamp()
          and (asking_until is null or asking_until < clock_timestamp())`,
      [subject, holder, LEASE_SECONDS],
    );
    return claimed > 0;
  }

  /** True while a process holds the lease of the question. */
  async isClaimed(subject: Subject): Promise<boolean> {
    const held = 'where subject = $1 and asking_until > clock_timestamp()';
    return (await findRow(this.dataSource.manager, ScreeningQuestion, held, [subject])) !== undefined;
  }

  /** Releases the question after a failure. The delay doubles with each failure, up to five minutes. */
  async postponeQuestion(subject: Subject, holder: string): Promise<void> {
    await this.dataSource.query(
      `update screening_question
          set attempts = attempts + 1, holder = null, asking_until = null,
              due_at = clock_timestamp() + make_interval(secs => least($3 * power(2, least(attempts, 20)), $4))
        where subject = $1 and holder = $2`,
      [subject, holder, FIRST_RETRY_SECONDS, MAX_RETRY_SECONDS],
    );
  }

  /** Locks the question that `holder` has claimed; undefined if another process has claimed it since, or if it was deleted. */
  async lockHeldQuestion(tx: Tx, subject: Subject, holder: string): Promise<HeldQuestion | undefined> {
    const [held] = await tx.query<HeldQuestion[]>(
      `select subject, nextval(pg_get_serial_sequence('screening_verdict', 'id')) as "verdictId",
              clock_timestamp() as "screenedAt"
         from screening_question where subject = $1 and holder = $2 for update`,
      [subject, holder],
    );
    return held;
  }

  async insertVerdict(
    tx: Tx,
    { subject, verdictId: id, screenedAt }: HeldQuestion,
    { verdict, riskScore, lists, reference }: ScreeningAnswer,
    outdated: boolean,
  ): Promise<void> {
    const stored = { id, subject, verdict, riskScore, lists, reference, screenedAt };
    const seal = this.sealVerdict(stored, null, null);
    await tx.query(
      `insert into screening_verdict
         (id, subject, user_id, verdict, risk_score, lists, reference, screened_at, outdated, seal) overriding system value
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [id, subject, userIdOf(subject), verdict, riskScore, lists, reference, screenedAt, outdated, seal],
    );
  }

  async deleteQuestion(tx: Tx, subject: Subject): Promise<void> {
    await tx.delete(ScreeningQuestion, { subject });
  }

  async deleteScreeningQuestionsOfUser(tx: Tx, userId: string): Promise<void> {
    await tx.delete(ScreeningQuestion, { userId });
  }

  /** Ends the lease of a question that stays in the queue. */
  async releaseQuestion(tx: Tx, subject: Subject): Promise<void> {
    await tx.update(ScreeningQuestion, { subject }, { holder: null, askingUntil: null });
  }

  /** Accepts a user's review until the next verdict; returns the time. */
  async acceptVerdict(tx: Tx, verdict: StoredVerdict, by: string, reason: string): Promise<Date> {
    const [rows] = await tx.query<[{ at: Date }[], number]>(
      `update screening_verdict set accepted_at = clock_timestamp(), accepted_by = $2, accept_reason = $3, seal = $4
        where id = $1 returning accepted_at as at`,
      [verdict.id, by, reason, this.sealVerdict(verdict, by, reason)],
    );
    return rows[0]?.at as Date;
  }

  /** Accepts reviews for one withdrawal; returns the time. */
  async insertAcceptances(
    tx: Tx,
    withdrawalId: string,
    verdicts: readonly StoredVerdict[],
    acceptedBy: string,
    reason: string,
  ): Promise<Date> {
    const inserted = await tx
      .createQueryBuilder()
      .insert()
      .into(ScreeningAcceptance)
      .values(
        verdicts.map(({ subject, reference }) => {
          return { withdrawalId, subject, reference, reason, acceptedAt: () => 'now()', acceptedBy };
        }),
      )
      .returning('accepted_at as at')
      .execute();
    return (inserted.raw as { at: Date }[])[0]?.at as Date;
  }

  private isAuthentic({ by, reason, ...row }: VerdictRow): boolean {
    return this.seals.isAuthentic('screening_verdict', {
      ...row,
      acceptedBy: by,
      acceptReason: reason,
      isSealEnded: false, // seals of verdicts never end
    });
  }

  private sealVerdict(
    verdict: Pick<
      StoredVerdict,
      'id' | 'subject' | 'verdict' | 'riskScore' | 'lists' | 'reference' | 'screenedAt'
    >,
    acceptedBy: string | null,
    acceptReason: string | null,
  ): Buffer {
    const userId = userIdOf(verdict.subject);
    return this.seals.sealRow('screening_verdict', { ...verdict, userId, acceptedBy, acceptReason });
  }
}

// SQL about verdicts for statements of other modules.

/**
 * SQL: whether a user has the screening result `?`, as a condition of `listFilter`. `userId` is SQL, too. Without a configured
 * provider no stored verdict counts. Each condition uses `?`, because PostgreSQL refuses a parameter that no expression uses.
 */
export function hasScreeningResult(userId: string, result: ScreeningResult, isConfigured: boolean): string {
  if (!isConfigured) return `? = 'not_checked'`;
  // A change of the e-mail address makes all verdicts on the user outdated, so that the newest one is current if any is.
  const hasCurrentVerdict = `exists (select from screening_verdict where user_id = ${userId} and not outdated)`;
  // Most users can be `clear` or `not_checked`: PostgreSQL can plan these conditions as hash joins, without a look-up for each user.
  if (result === 'not_checked') return `? = 'not_checked' and not ${hasCurrentVerdict}`;
  if (result === 'clear')
    return `? = 'clear' and ${hasCurrentVerdict}
      and not exists (select from screening_verdict as concern
                       where concern.user_id = ${userId} and concern.verdict <> 'clear'
                         and not exists (select from screening_verdict as newer
                                          where newer.user_id = concern.user_id and newer.id > concern.id))`;
  // The newest verdict is `review` or `blocked`. The first condition finds such users, who are few, by an index.
  return `${userId} = any(array(select user_id from screening_verdict
                                 where verdict = ? and verdict <> 'clear' and user_id is not null))
    and (select case when not outdated then verdict end from screening_verdict
          where user_id = ${userId} order by id desc limit 1) = ?`;
}

/**
 * SQL after `from`: the newest verdicts with the result `review` that no admin has accepted: on users, and on the addresses of the
 * rows of `withdrawals`, a table with `id` and `to_address`, that the SQL `isUnpaid` selects.
 */
export function openReviews(withdrawals: string, isUnpaid: string): string {
  return `screening_verdict as verdict
    where verdict = 'review' and accepted_at is null and not outdated
      and not exists (select from screening_verdict as newer where newer.subject = verdict.subject and newer.id > verdict.id)
      and (user_id is not null
           or exists (select from ${withdrawals} as payment
                       where ${isUnpaid} and lower(to_address) collate "C" = substr(verdict.subject, length('address:') + 1)
                         and not exists (select from screening_acceptance as accepted
                                          where accepted.withdrawal_id = payment.id and accepted.subject = verdict.subject)))`;
}

import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseClock } from '../../database/database-clock.js';
import { sqlState } from '../../common/errors/sql-state.js';
import { Job } from '../../jobs/job.decorator.js';
import { Jobs } from '../../jobs/jobs.service.js';
import { Clock } from '../../common/clock.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { newId } from '../../common/ids.js';
import { WebhookEffects } from './webhook-effects.js';
import { WEBHOOK_KINDS, type Outcome, type WebhookEvent, type WebhookKind } from './webhook-event.js';

const EVERY_SECONDS = 5;
const LEASE_MS = 60_000; // an event whose taker died is taken again after this
const MOST_ATTEMPTS = 12;
const FIRST_BACKOFF_MS = 1000;
const LONGEST_BACKOFF_MS = 3_600_000;
const LONGEST_REASON = 500;

/** Whoever took so long that another has taken it changes nothing any more. */
const STILL_OURS = `id = $1 and attempts = $2 and status = 'received'`;

/**
 * Callbacks, each stored once before it is answered and acted upon afterwards, one by one of each kind: what is said of
 * deposits can wait for a silent node, and the others do not wait with it. What fails is tried again later. Several
 * replicas share the work.
 */
@Injectable()
export class WebhookInbox {
  private readonly log = new Logger('WebhookInbox');

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly databaseClock: DatabaseClock,
    private readonly effects: WebhookEffects,
    private readonly jobs: Jobs,
  ) {}

  /** Keeps an event; false when it is there already. Throws SERVICE_UNAVAILABLE while the process's clock is wrong. */
  async store(event: {
    provider: string;
    kind: WebhookKind;
    eventKey: string;
    body: string;
  }): Promise<boolean> {
    this.databaseClock.requireRight();
    const rows = (await this.dataSource.query(
      `insert into webhook_event (id, provider, kind, event_key, body, status, attempts, received_at, due_at)
       values ($1, $2, $3, $4, $5, 'received', 0, $6, $6)
       on conflict on constraint webhook_event_key do nothing
       returning id`,
      [newId(), event.provider, event.kind, event.eventKey, event.body, this.clock.now()],
    )) as unknown[];
    return rows.length > 0;
  }

  /** Has what is due acted upon soon; nobody waits for it. */
  kick(): void {
    for (const kind of WEBHOOK_KINDS) this.jobs.get(`${kind}-callbacks`).wake();
  }

  /** Acts upon everything that is due now. */
  async drain(): Promise<void> {
    await Promise.all(WEBHOOK_KINDS.map((kind) => this.jobs.get(`${kind}-callbacks`).runOnce()));
  }

  @Job({
    name: 'deposit-callbacks',
    purpose: 'Processes callbacks about deposits that were stored, and retries those that failed',
    everySeconds: EVERY_SECONDS,
  })
  processDeposits(stopping: AbortSignal): Promise<void> {
    return this.process('deposit', stopping);
  }

  @Job({
    name: 'withdrawal-callbacks',
    purpose: 'Processes callbacks about withdrawals that were stored, and retries those that failed',
    everySeconds: EVERY_SECONDS,
  })
  processWithdrawals(stopping: AbortSignal): Promise<void> {
    return this.process('withdrawal', stopping);
  }

  @Job({
    name: 'yield-callbacks',
    purpose: 'Processes yield reports that were stored, and retries those that failed',
    everySeconds: EVERY_SECONDS,
  })
  processYield(stopping: AbortSignal): Promise<void> {
    return this.process('yield', stopping);
  }

  private async process(kind: WebhookKind, stopping: AbortSignal): Promise<void> {
    for (let event = await this.take(kind); event; event = await this.take(kind)) {
      await this.settle(event, await this.attempt(event));
      if (stopping.aborted) return;
    }
  }

  /** Takes the oldest due event, out of reach of the other replicas while it is worked on. */
  private async take(kind: WebhookKind): Promise<WebhookEvent | undefined> {
    if (!this.databaseClock.isRight) return undefined;
    const now = this.clock.now();
    const rows = (await this.dataSource.query(
      `with oldest as (
         select id from webhook_event where status = 'received' and kind = $3 and due_at <= $1
          order by due_at, id limit 1 for update skip locked
       ), taken as (
         update webhook_event as event set due_at = $2, attempts = attempts + 1
           from oldest where event.id = oldest.id
         returning event.id, kind, event_key, body, attempts
       )
       select id, kind, event_key as "eventKey", body, attempts from taken`,
      [now, new Date(now.getTime() + LEASE_MS), kind],
    )) as WebhookEvent[];
    return rows[0];
  }

  /** What came of it; undefined when it is to be tried again. */
  private async attempt(event: WebhookEvent): Promise<Outcome | undefined> {
    // Each time its taker died: it is kept from doing so for ever.
    if (event.attempts > MOST_ATTEMPTS) return { status: 'failed', reason: 'no attempt came to its end' };
    try {
      return await this.effects.apply(event);
    } catch (error) {
      // A refusal says that the event makes no sense, as does a value that no column holds; anything else may work later.
      const isRefused = (error instanceof DomainError && error.status < 500) || isImpossibleValue(error);
      const isLast = isRefused || event.attempts >= MOST_ATTEMPTS;
      const why = error instanceof DomainError ? { code: error.code } : { err: error };
      this.log.warn({
        msg: `a ${event.kind} callback failed`,
        eventId: event.id,
        attempts: event.attempts,
        ...why,
      });
      return isLast ? { status: 'failed', reason: reasonOf(error) } : undefined;
    }
  }

  private async settle(event: WebhookEvent, outcome: Outcome | undefined): Promise<void> {
    const now = this.clock.now();
    if (!outcome) {
      const wait = Math.min(FIRST_BACKOFF_MS * 2 ** (event.attempts - 1), LONGEST_BACKOFF_MS);
      const due = new Date(now.getTime() + wait);
      await this.dataSource.query(`update webhook_event set due_at = $3 where ${STILL_OURS}`, [
        event.id,
        event.attempts,
        due,
      ]);
      return;
    }
    const reason = outcome.reason?.slice(0, LONGEST_REASON) ?? null;
    if (outcome.status !== 'processed')
      this.log.log({ msg: `a ${event.kind} callback is ${outcome.status}`, eventId: event.id });
    await this.dataSource.query(
      `update webhook_event set status = $3, reason = $4, settled_at = $5 where ${STILL_OURS}`,
      [event.id, event.attempts, outcome.status, reason, now],
    );
  }
}

/** Class 22 of SQLSTATE: data exceptions, such as a date or a number out of range. */
function isImpossibleValue(error: unknown): boolean {
  return sqlState(error)?.startsWith('22') ?? false;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof DomainError)) return 'an unexpected error; see the log';
  return error.details ? `${error.code}: ${JSON.stringify(error.details)}` : error.code;
}

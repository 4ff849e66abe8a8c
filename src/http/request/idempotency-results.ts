import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseClock } from '../../database/database-clock.js';
import { prepared } from '../../database/prepared.js';
import type { Tx } from '../../database/unit-of-work.js';
import { Job } from '../../jobs/job.decorator.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { EnvelopedResponse } from '../response/enveloped-response.js';
import { nameOf, type KeyedRequest } from './keyed-request.js';

/** What a request was answered, without its time and trace. */
export interface Result {
  readonly status: number;
  readonly answer: EnvelopedResponse<unknown>;
}

interface StoredResult {
  readonly fingerprint: Buffer;
  readonly status: number;
  readonly answer: Pick<EnvelopedResponse<unknown>, 'data' | 'extraFields'>;
}

const KEPT_MS = 24 * 3_600_000;
const CLEAN_UP_ROWS = 10_000; // at a time: deleting never holds up anybody for long

/** The results of keyed requests, kept for 24 hours. */
@Injectable()
export class IdempotencyResults {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly databaseClock: DatabaseClock,
  ) {}

  /** The result of an earlier request with this key. Throws IDEMPOTENCY_KEY_REUSED when that asked for something else. */
  async find(request: KeyedRequest): Promise<Result | undefined> {
    const { caller, route, key } = request;
    const [row] = await this.dataSource.query<StoredResult[]>(
      prepared(
        `select fingerprint, status, answer from idempotency_result
          where caller = $1 and route = $2 and key = $3 and created_at > $4`,
      ),
      [caller, route, key, this.oldest()],
    );
    return row && resultOf(request, row);
  }

  /**
   * Keeps others with this key out until the transaction ends; answers the result when one of them was first.
   * Throws IDEMPOTENCY_IN_PROGRESS, without waiting, while another is at it.
   */
  async claim(tx: Tx, request: KeyedRequest): Promise<Result | undefined> {
    const { caller, route, key } = request;
    const [claim] = await tx.query<(Partial<StoredResult> & { isOurs: boolean })[]>(
      prepared(
        `select is_ours as "isOurs", fingerprint, status, answer from idempotency_claim($1, $2, $3, $4, $5)`,
      ),
      [nameOf(request), caller, route, key, this.oldest()],
    );
    if (!claim?.isOurs) fail('IDEMPOTENCY_IN_PROGRESS');
    return claim.fingerprint ? resultOf(request, claim as StoredResult) : undefined;
  }

  /** Stores the result of a request that was claimed. */
  async store(tx: Tx, request: KeyedRequest, { status, answer }: Result): Promise<void> {
    const { caller, route, key, fingerprint } = request;
    await tx.query(
      prepared(`insert into idempotency_result (caller, route, key, fingerprint, status, answer, created_at)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (caller, route, key) do update -- one of more than 24 hours ago
         set fingerprint = excluded.fingerprint, status = excluded.status, answer = excluded.answer,
             created_at = excluded.created_at`),
      [caller, route, key, fingerprint, status, JSON.stringify(answer), this.clock.now()],
    );
  }

  @Job({
    name: 'idempotency-results',
    purpose: 'Deletes the results of requests with an idempotency key that are older than 24 hours',
    everySeconds: 60,
  })
  async forgetAllOld(stopping: AbortSignal): Promise<void> {
    while ((await this.forgetOld()) === CLEAN_UP_ROWS && !stopping.aborted);
  }

  /** Deletes some of what is older than 24 hours, and says how many: none while the process's clock is wrong. */
  async forgetOld(): Promise<number> {
    if (!this.databaseClock.isRight) return 0;
    const [, deleted] = await this.dataSource.query<[unknown, number]>(
      `delete from idempotency_result where (caller, route, key) in (
         select caller, route, key from idempotency_result where created_at <= $1
          order by created_at limit ${CLEAN_UP_ROWS} for update skip locked)`,
      [this.oldest()],
    );
    return deleted;
  }

  private oldest(): Date {
    return new Date(this.clock.now().getTime() - KEPT_MS);
  }
}

function resultOf({ fingerprint }: KeyedRequest, stored: StoredResult): Result {
  if (!stored.fingerprint.equals(fingerprint)) fail('IDEMPOTENCY_KEY_REUSED');
  return {
    status: stored.status,
    answer: new EnvelopedResponse(stored.answer.data, stored.answer.extraFields),
  };
}

import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseClock } from '../../database/database-clock.js';
import { prepared } from '../../database/prepared.js';
import type { Tx } from '../../database/unit-of-work.js';
import { Job } from '../../jobs/job.decorator.js';
import { Clock } from '../../common/clock.js';
import { DAY_MS } from '../../common/durations.js';
import { fail } from '../../common/errors/domain-error.js';
import { EnvelopedResponse } from '../response/enveloped-response.js';
import { lockNameOf, type IdempotentRequest } from './idempotent-request.js';

/** The response to a request, without its time and trace. */
export interface IdempotencyResult {
  readonly status: number;
  readonly answer: EnvelopedResponse<unknown>;
}

interface ResultRow {
  readonly fingerprint: Buffer;
  readonly status: number;
  readonly answer: Pick<EnvelopedResponse<unknown>, 'data' | 'extraFields'>;
}

const RETENTION_MS = DAY_MS;
const DELETE_BATCH_ROWS = 10_000; // small enough not to delay other statements

/** The results of requests with an idempotency key, stored for 24 hours. */
@Injectable()
export class IdempotencyRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly databaseClock: DatabaseClock,
  ) {}

  /** Throws IDEMPOTENCY_KEY_REUSED if the request that used the key had other parameters or another body. */
  async findResult(request: IdempotentRequest): Promise<IdempotencyResult | undefined> {
    const { caller, route, key } = request;
    const [row] = await this.dataSource.query<ResultRow[]>(
      prepared(
        `select fingerprint, status, answer from idempotency_result
          where caller = $1 and route = $2 and key = $3 and created_at > $4`,
      ),
      [caller, route, key, this.oldestKept()],
    );
    return row && resultOf(request, row);
  }

  /**
   * Locks the key until the transaction ends, and returns the result that another request has stored by now. Throws
   * IDEMPOTENCY_IN_PROGRESS, without waiting, while another transaction holds the lock.
   */
  async lockKey(tx: Tx, request: IdempotentRequest): Promise<IdempotencyResult | undefined> {
    const { caller, route, key } = request;
    const [claim] = await tx.query<(Partial<ResultRow> & { isOurs: boolean })[]>(
      prepared(
        `select is_ours as "isOurs", fingerprint, status, answer from idempotency_claim($1, $2, $3, $4, $5)`,
      ),
      [lockNameOf(request), caller, route, key, this.oldestKept()],
    );
    if (!claim?.isOurs) fail('IDEMPOTENCY_IN_PROGRESS');
    return claim.fingerprint ? resultOf(request, claim as ResultRow) : undefined;
  }

  async storeResult(
    tx: Tx,
    request: IdempotentRequest,
    { status, answer }: IdempotencyResult,
  ): Promise<void> {
    const { caller, route, key, fingerprint } = request;
    await tx.query(
      prepared(`insert into idempotency_result (caller, route, key, fingerprint, status, answer, created_at)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (caller, route, key) do update -- a result that has expired
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
  async deleteExpiredResults(stopping: AbortSignal): Promise<void> {
    while ((await this.deleteExpiredBatch()) === DELETE_BATCH_ROWS && !stopping.aborted);
  }

  /** Returns the number of deleted results. Deletes none while the clock of the process is wrong. */
  async deleteExpiredBatch(): Promise<number> {
    if (!this.databaseClock.isRight) return 0;
    const [, deleted] = await this.dataSource.query<[unknown, number]>(
      `delete from idempotency_result where (caller, route, key) in (
         select caller, route, key from idempotency_result where created_at <= $1
          order by created_at limit ${DELETE_BATCH_ROWS} for update skip locked)`,
      [this.oldestKept()],
    );
    return deleted;
  }

  private oldestKept(): Date {
    return new Date(this.clock.now().getTime() - RETENTION_MS);
  }
}

function resultOf({ fingerprint }: IdempotentRequest, row: ResultRow): IdempotencyResult {
  if (!row.fingerprint.equals(fingerprint)) fail('IDEMPOTENCY_KEY_REUSED');
  return { status: row.status, answer: new EnvelopedResponse(row.answer.data, row.answer.extraFields) };
}

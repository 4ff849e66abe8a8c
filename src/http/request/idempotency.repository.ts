import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseClock } from '../../database/database-clock.js';
import { DELETE_BATCH_ROWS, deleteBatch } from '../../jobs/delete-batch.js';
import { prepared } from '../../database/prepared.js';
import type { Statement } from '../../database/open-transaction.js';
import { write } from '../../database/statements.js';
import type { Tx } from '../../database/unit-of-work.js';
import { Job } from '../../jobs/job.decorator.js';
import { realNow } from '../../common/clock.js';
import { DAY_MS } from '../../common/durations.js';
import { throwError } from '../../common/errors/domain-error.js';
import { EnvelopedResponse } from '../response/enveloped-response.js';
import { callerOf, type IdempotentRequest } from './idempotent-request.js';

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

/** The results of requests with an idempotency key, stored for 24 hours. */
@Injectable()
export class IdempotencyRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly databaseClock: DatabaseClock,
  ) {}

  /**
   * The result of the first request with the key. Throws IDEMPOTENCY_KEY_REUSED if that one had other parameters or another body. If
   * there is a result, the statement also writes a record to the write-ahead log, so that its answer waits until the first request is
   * committed for good: before, its commit can be visible and yet be lost with the server.
   */
  async findResult(request: IdempotentRequest): Promise<IdempotencyResult | undefined> {
    const { caller, route, key } = request;
    const [row] = await this.dataSource.query<ResultRow[]>(
      prepared(
        `select fingerprint, status, answer, pg_logical_emit_message(true, 'replay', '') from idempotency_result
          where caller = $1 and route = $2 and key = $3 and created_at > $4 and not pg_is_in_recovery()`,
      ),
      [caller, route, key, this.oldestKept()],
    );
    return row && resultOf(request, row);
  }

  /**
   * Locks the key until the transaction ends. Fails, without waiting, on `idempotency_key_in_progress` while another transaction
   * holds the lock, and on `idempotency_key_used` if a result is stored.
   */
  claimOf(request: IdempotentRequest): Statement {
    const { caller, route, key } = request;
    return {
      text: prepared('select claim_idempotency_key($1, $2, $3, $4)'),
      values: [caller, route, key, this.oldestKept()],
    };
  }

  /** Replaces a result with the same key that has expired. */
  insertResult(
    tx: Tx,
    { caller, route, key, fingerprint }: IdempotentRequest,
    { status, answer }: IdempotencyResult,
  ): void {
    write(
      tx,
      `insert into idempotency_result (caller, route, key, fingerprint, status, answer, created_at)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (caller, route, key) do update
         set fingerprint = excluded.fingerprint, status = excluded.status, answer = excluded.answer,
             created_at = excluded.created_at`,
      [caller, route, key, fingerprint, status, JSON.stringify(answer), realNow()],
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
    if (!this.databaseClock.isInSync) return 0;
    return deleteBatch(this.dataSource, {
      table: 'idempotency_result',
      condition: 'created_at <= $1',
      parameters: [this.oldestKept()],
      orderBy: 'created_at',
    });
  }

  /** Erases the stored responses to a user, which can contain personal data. */
  async deleteResponsesToUser(tx: Tx, userId: string): Promise<void> {
    await tx.query('delete from idempotency_result where caller = $1', [
      callerOf({ type: 'user', id: userId }),
    ]);
  }

  private oldestKept(): Date {
    return new Date(realNow().getTime() - RETENTION_MS);
  }
}

function resultOf({ fingerprint }: IdempotentRequest, row: ResultRow): IdempotencyResult {
  if (!row.fingerprint.equals(fingerprint)) throwError('IDEMPOTENCY_KEY_REUSED');
  return { status: row.status, answer: new EnvelopedResponse(row.answer.data, row.answer.extraFields) };
}

import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../kernel/clock.js';
import { fail } from '../../kernel/errors/domain-error.js';
import { Answer } from '../envelope/answer.js';
import { Repeated } from '../lifecycle/repeated.js';
import { nameOf, type KeyedRequest } from './keyed-request.js';

/** What a request was answered, without its time and trace. */
export interface Result {
  readonly status: number;
  readonly answer: Answer<unknown>;
}

const KEPT_MS = 24 * 3_600_000;
const CLEAN_UP_EVERY_MS = 60_000;
const CLEAN_UP_ROWS = 10_000; // at a time: deleting never holds up anybody for long

/** The results of keyed requests (D9), kept for 24 hours. */
@Injectable()
export class IdempotencyResults implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly cleaning = new Repeated(
    () => this.forgetOld(),
    new Logger('Idempotency'),
    'old results wait to be deleted',
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.cleaning.begin(CLEAN_UP_EVERY_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await this.cleaning.end();
  }

  /** The result of an earlier request with this key. Throws IDEMPOTENCY_KEY_REUSED when that asked for something else. */
  async find(request: KeyedRequest): Promise<Result | undefined> {
    return this.read(this.dataSource.manager, request);
  }

  /**
   * Keeps others with this key out until the transaction ends; answers the result when one of them was first.
   * Throws IDEMPOTENCY_IN_PROGRESS, without waiting, while another is at it.
   */
  async claim(tx: Tx, request: KeyedRequest): Promise<Result | undefined> {
    const [lock] = await tx.query<{ isOurs: boolean }[]>(
      `select pg_try_advisory_xact_lock(hashtextextended('idempotency:' || $1::text, 0)) as "isOurs"`,
      [nameOf(request)],
    );
    if (!lock?.isOurs) fail('IDEMPOTENCY_IN_PROGRESS');
    return this.read(tx, request); // a statement of its own: it sees what was committed before the lock was free
  }

  /** Stores the result of a request that was claimed. */
  async store(tx: Tx, request: KeyedRequest, { status, answer }: Result): Promise<void> {
    const { caller, route, key, fingerprint } = request;
    await tx.query(
      `insert into idempotency_result (caller, route, key, fingerprint, status, answer, created_at)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (caller, route, key) do update -- one of more than 24 hours ago
         set fingerprint = excluded.fingerprint, status = excluded.status, answer = excluded.answer,
             created_at = excluded.created_at`,
      [caller, route, key, fingerprint, status, JSON.stringify(answer), this.clock.now()],
    );
  }

  /** Deletes some of what is older than 24 hours, and says how many. */
  async forgetOld(): Promise<number> {
    const [, deleted] = await this.dataSource.query<[unknown, number]>(
      `delete from idempotency_result where (caller, route, key) in (
         select caller, route, key from idempotency_result where created_at <= $1
          order by created_at limit ${CLEAN_UP_ROWS} for update skip locked)`,
      [this.oldest()],
    );
    return deleted;
  }

  private async read(manager: EntityManager, request: KeyedRequest): Promise<Result | undefined> {
    const { caller, route, key, fingerprint } = request;
    const [row] = await manager.query<
      { fingerprint: Buffer; status: number; answer: Pick<Answer<unknown>, 'data' | 'beside'> }[]
    >(
      `select fingerprint, status, answer from idempotency_result
        where caller = $1 and route = $2 and key = $3 and created_at > $4`,
      [caller, route, key, this.oldest()],
    );
    if (!row) return undefined;
    if (!row.fingerprint.equals(fingerprint)) fail('IDEMPOTENCY_KEY_REUSED');
    return { status: row.status, answer: new Answer(row.answer.data, row.answer.beside) };
  }

  private oldest(): Date {
    return new Date(this.clock.now().getTime() - KEPT_MS);
  }
}

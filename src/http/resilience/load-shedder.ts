import { AsyncResource } from 'node:async_hooks';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { AppConfig } from '../../config/app-config.js';
import { Job } from '../../jobs/job.decorator.js';
import { Clock } from '../../common/clock.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { Meters } from '../../observability/meters.js';
import { RequestCount } from '../../observability/request-count.js';
import { KnownCredentials } from '../auth/known-credentials.js';
import { sendErrorResponse } from '../response/error-response.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';
import { LoadMonitor } from './load-monitor.js';

const SAMPLE_INTERVAL_MS = 20;
const FLOOR_PER_CONNECTION = 0.5; // half as many requests as database connections keep a processor busy
const MAX_RETRY_AFTER_SECONDS = 3; // chosen at random, so that rejected clients do not return at the same time
const ABANDONED_WORK_MS = 5000; // after this time a request whose client has disconnected holds no slot

/** Probes are cheap, and a rejected probe could make an orchestrator restart a process that is only busy. */
const EXEMPT_PATH = /^\/api\/(ping|health\/(live|ready))\/?$/i;

/**
 * Each kind of caller has a separate limiter, so that one kind cannot use up the slots of another. The first matching
 * path decides. `share` scales the bounds.
 */
const KINDS = [
  { kind: 'watching', path: /^\/(metrics|health|api\/health)(\/|$)/i, share: 0.25 },
  { kind: 'callbacks', path: /^\/api\/webhooks\//i, share: 0.25 },
  { kind: 'admins', path: /^\/api\/admin\//i, share: 0.25 },
  { kind: 'everybody', path: /^/, share: 1 },
] as const;

export interface LimiterState {
  readonly kind: string;
  readonly inFlight: number;
  readonly queued: number;
}

interface KindLimiter {
  readonly kind: string;
  readonly path: RegExp;
  readonly limiter: ConcurrencyLimiter;
}

/**
 * Serves as many concurrent requests as the process can serve well, queues some for a short time, and rejects the rest
 * immediately with 503 and Retry-After. Throughput stays the same when several times as many requests arrive.
 */
@Injectable()
export class LoadShedder implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('LoadShedder');
  private readonly limiters: readonly KindLimiter[];
  private sampling: NodeJS.Timeout | undefined;
  private rejectedCount = 0;

  constructor(
    { REQUESTS_AT_ONCE, DATABASE_POOL_SIZE, REQUEST_WAIT_MS }: AppConfig,
    private readonly loadMonitor: LoadMonitor,
    private readonly meters: Meters,
    private readonly requests: RequestCount,
    private readonly clock: Clock,
    private readonly knownCredentials: KnownCredentials,
  ) {
    const connections = Math.min(REQUESTS_AT_ONCE, DATABASE_POOL_SIZE);
    this.limiters = KINDS.map(({ kind, path, share }) => {
      const limiter = new ConcurrencyLimiter({
        floor: Math.ceil(connections * FLOOR_PER_CONNECTION * share),
        initial: Math.ceil(connections * share),
        maximum: Math.ceil(REQUESTS_AT_ONCE * share),
        maxQueued: Math.ceil(REQUESTS_AT_ONCE * share),
        maxWaitMs: REQUEST_WAIT_MS,
      });
      return { kind, path, limiter };
    });
  }

  onApplicationBootstrap(): void {
    this.sampling = setInterval(() => this.adjustLimits(), SAMPLE_INTERVAL_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.sampling);
  }

  get state(): LimiterState[] {
    return this.limiters.map(({ kind, limiter: { inFlight, queued } }) => ({ kind, inFlight, queued }));
  }

  /** Middleware that runs before the body is read, so that a client need not send the body of a rejected request. */
  readonly rejectIfFull = ({ path }: Request, response: Response, next: NextFunction): void => {
    const kindLimiter = this.limiterOf(path);
    if (kindLimiter?.limiter.isFull) this.reject(kindLimiter.kind, response);
    else next();
  };

  /** Middleware that runs after the body has arrived, so that a client that sends it slowly holds no slot. */
  readonly acquireSlot = ({ path }: Request, response: Response, next: NextFunction): void => {
    const kindLimiter = this.limiterOf(path);
    if (!kindLimiter) return next();
    const { kind, limiter } = kindLimiter;
    const start = () => {
      this.requests.begun++;
      onWorkDone(response, () => limiter.release());
      next();
    };
    if (limiter.tryAcquire()) return start();
    if (limiter.isFull) return this.reject(kind, response);
    // The request starts in its own async context, not in that of the request that has released the slot.
    const context = new AsyncResource('QUEUED_REQUEST');
    const queued = {
      start: () => context.runInAsyncScope(start),
      reject: () => context.runInAsyncScope(() => this.reject(kind, response)),
    };
    limiter.enqueue(queued, performance.now());
    response.once('close', () => limiter.removeQueued(queued));
  };

  private limiterOf(path: string): KindLimiter | undefined {
    return EXEMPT_PATH.test(path) ? undefined : this.limiters.find((limiter) => limiter.path.test(path));
  }

  private reject(kind: string, response: Response): void {
    this.rejectedCount++;
    this.meters.count('overload-refusal', kind);
    const retryAfterSeconds = 1 + Math.floor(Math.random() * MAX_RETRY_AFTER_SECONDS);
    const error = new DomainError('SERVICE_UNAVAILABLE', undefined, { retryAfterSeconds });
    response.locals.isAnonymousRefusal = !this.knownCredentials.areKnown(response.req);
    sendErrorResponse(response, error, this.clock.now());
  }

  private adjustLimits(): void {
    const now = performance.now();
    const shortage = this.loadMonitor.sample(now, SAMPLE_INTERVAL_MS);
    for (const { limiter } of this.limiters) limiter.adjust(now, shortage);
  }

  @Job({
    name: 'overload-log',
    purpose: 'Logs how many requests were rejected for overload since the last run',
    everySeconds: 5,
    withoutDatabase: true,
  })
  async logRejections(): Promise<void> {
    if (this.rejectedCount === 0) return;
    const loopLateMs = Math.round(this.loadMonitor.eventLoopDelayMs);
    this.log.warn({ msg: 'more requests than can be served', refused: this.rejectedCount, loopLateMs });
    this.rejectedCount = 0;
  }
}

/**
 * Calls `release` once: when the response has been handed to the socket, even if the client reads it slowly. The work of a
 * client that disconnects continues, so its slot stays taken until then, but for `ABANDONED_WORK_MS` at most.
 */
function onWorkDone(response: Response, release: () => void): void {
  let isReleased = false;
  const releaseOnce = () => {
    if (isReleased) return;
    isReleased = true;
    release();
  };
  const end = response.end.bind(response) as (...args: unknown[]) => Response;
  response.end = (...args: unknown[]) => {
    const ended = end(...args);
    queueMicrotask(releaseOnce); // the next request may start synchronously; it must not run inside this call
    return ended;
  };
  response.once('close', () => {
    if (response.headersSent) releaseOnce();
    else setTimeout(releaseOnce, ABANDONED_WORK_MS).unref();
  });
}

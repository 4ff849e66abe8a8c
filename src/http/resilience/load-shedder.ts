import { AsyncResource } from 'node:async_hooks';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { AppConfig } from '../../config/app-config.js';
import { Job } from '../../jobs/job.decorator.js';
import { Clock } from '../../common/clock.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { Meters } from '../../observability/meters.js';
import { sendErrorResponse } from '../response/error-response.js';
import { onResponseEnd } from './response-end.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';
import { LoadMonitor } from './load-monitor.js';

const LOOK_EVERY_MS = 20;
const FEWEST = 0.5; // of the connections: as many requests keep a processor busy
const RETRY_WITHIN_SECONDS = 3; // by chance, so that they do not all come back at once

/** Cheap whatever happens, and asked by those who would restart us: never refused, never waiting. */
const ALWAYS = /^\/api\/(ping|health\/(live|ready))\/?$/i;

/**
 * A gate for each kind of caller, so that none can take the places of another; the first path that fits. Shares are of
 * everybody's bounds.
 */
const KINDS = [
  { kind: 'watching', path: /^\/(metrics|health|api\/health)(\/|$)/i, share: 0.25 },
  { kind: 'callbacks', path: /^\/api\/webhooks\//i, share: 0.25 },
  { kind: 'admins', path: /^\/api\/admin\//i, share: 0.25 },
  { kind: 'everybody', path: /^/, share: 1 },
] as const;

/** One kind's gate as it is just now. */
export interface LimiterState {
  readonly kind: string;
  readonly inWork: number;
  readonly waiting: number;
}

/**
 * Takes in as many requests as are served well, lets some wait for a moment, and refuses the others at once and cheaply
 * (503 with Retry-After), so that a load of several times the capacity leaves the capacity as it is.
 */
@Injectable()
export class LoadShedder implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('Admission');
  private readonly gates: readonly { kind: string; path: RegExp; gate: ConcurrencyLimiter }[];
  private looking: NodeJS.Timeout | undefined;
  private refused = 0;

  constructor(
    config: AppConfig,
    private readonly pressure: LoadMonitor,
    private readonly meters: Meters,
    private readonly clock: Clock,
  ) {
    const most = config.REQUESTS_AT_ONCE;
    const few = Math.min(most, config.DATABASE_POOL_SIZE);
    this.gates = KINDS.map(({ kind, path, share }) => {
      const of = (count: number) => Math.ceil(count * share);
      const bounds = { fewest: of(few * FEWEST), few: of(few), most: of(most), waiting: of(most) };
      return { kind, path, gate: new ConcurrencyLimiter({ ...bounds, waitMs: config.REQUEST_WAIT_MS }) };
    });
  }

  onApplicationBootstrap(): void {
    this.looking = setInterval(() => this.look(), LOOK_EVERY_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.looking);
  }

  get state(): LimiterState[] {
    return this.gates.map(({ kind, gate }) => ({ kind, inWork: gate.inWork, waiting: gate.waiting }));
  }

  /** Before the body is read: who would be refused anyway need not send it. */
  readonly door = ({ path }: Request, response: Response, next: NextFunction): void => {
    const found = this.gateOf(path);
    if (found?.gate.isFull) this.refuse(found.kind, response);
    else next();
  };

  /** When the body is there, so that who sends it slowly takes nobody's place. */
  readonly turn = ({ path }: Request, response: Response, next: NextFunction): void => {
    const found = this.gateOf(path);
    if (!found) return next();
    const { kind, gate } = found;
    const enter = () => {
      onResponseEnd(response, () => gate.leave());
      next();
    };
    if (gate.enter()) enter();
    else if (gate.isFull) this.refuse(kind, response);
    else this.wait(gate, response, enter, () => this.refuse(kind, response));
  };

  /** Each goes on in its own context, whoever's leaving made room for it. */
  private wait(gate: ConcurrencyLimiter, response: Response, enter: () => void, refuse: () => void): void {
    const guest = { enter: AsyncResource.bind(enter), refuse: AsyncResource.bind(refuse) };
    gate.wait(guest, performance.now());
    response.once('close', () => gate.forget(guest));
  }

  private gateOf(path: string): { kind: string; gate: ConcurrencyLimiter } | undefined {
    return ALWAYS.test(path) ? undefined : this.gates.find((one) => one.path.test(path));
  }

  private refuse(kind: string, response: Response): void {
    this.refused++;
    this.meters.count('overload-refusal', kind);
    const retryAfterSeconds = 1 + Math.floor(Math.random() * RETRY_WITHIN_SECONDS);
    const error = new DomainError('SERVICE_UNAVAILABLE', undefined, { retryAfterSeconds });
    sendErrorResponse(response, error, this.clock.now());
  }

  private look(): void {
    const now = performance.now();
    const short = this.pressure.look(now, LOOK_EVERY_MS);
    for (const { gate } of this.gates) gate.look(now, short);
  }

  /** One line, however many were refused: the metrics have them all. */
  @Job({
    name: 'overload-log',
    purpose: 'Logs how many requests were refused for overload since the last time',
    everySeconds: 5,
  })
  async logRefusals(): Promise<void> {
    if (this.refused === 0) return;
    const loopLateMs = Math.round(this.pressure.eventLoopDelayMs);
    this.log.warn({ msg: 'more requests than can be served', refused: this.refused, loopLateMs });
    this.refused = 0;
  }
}

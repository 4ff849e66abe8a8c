import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import {
  HealthIndicatorService,
  MemoryHealthIndicator,
  TypeOrmHealthIndicator,
  type HealthIndicatorResult,
} from '@nestjs/terminus';
import { AppConfig } from '../../../config/app-config.js';
import { DatabaseClock } from '../../../database/database-clock.js';
import { GracefulShutdown } from '../../../http/resilience/graceful-shutdown.js';
import { Jobs } from '../../../jobs/jobs.service.js';
import { Clock } from '../../../common/clock.js';
import { DAY_MS, HOUR_MS } from '../../../common/durations.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import { AdminDirectoryService } from '../../identity/admins/admin-directory.service.js';
import { IdentityProviderClient } from '../../identity/auth/identity-provider.client.js';
import { ChainClient, chainCondition } from '../../providers/chain/chain.client.js';
import { DepositProvider } from '../../funds/deposits/deposit-provider.client.js';
import { IntegrityRunsRepository } from '../../assurance/integrity/integrity-runs.repository.js';
import { ScreeningProvider } from '../../identity/screening/screening-provider.client.js';
import { WebhookEventsService } from '../../funds/callbacks/callbacks.service.js';
import { WithdrawalsService } from '../../funds/withdrawals/withdrawals.service.js';
import {
  COMPONENTS,
  type ComponentHealth,
  type ComponentName,
  type HealthResult,
} from './domain/component-health.js';
import { DatabaseProbe, HealthRepository } from './health.repository.js';

const CACHE_MS = 2000; // frequent probes must not burden providers
const MAX_HOURS_OF_WITHDRAWAL = 24;
const MAX_HOURS_UNCHECKED = 36; // the integrity check runs every night
const MAX_LOOP_DELAY_MS = 500;
const MEGABYTE = 1_048_576;
const MAX_HEAP_BYTES = getHeapStatistics().heap_size_limit * 0.9;

type Indicator = () => PromiseLike<HealthIndicatorResult>;

/** The entry of an indicator in Terminus's result: `result` of a check that succeeded, `message` of one that failed. */
type Attempt = HealthIndicatorResult[string] & {
  result?: HealthResult;
  message: string;
  responseTime: number;
};

/** Terminus indicators for the process, the database and each component. */
@Injectable()
export class HealthIndicators implements OnApplicationBootstrap {
  private readonly log = new Logger('Health');
  private readonly loopDelay = monitorEventLoopDelay({ resolution: 20 });
  /** The start of the last check of each component. */
  private readonly checkedAt = new Map<ComponentName, Date>();
  private readonly checks: Record<ComponentName, () => Promise<HealthResult>> = {
    database: () => this.checkDatabase(),
    chain: () => this.checkChain(),
    'deposit-provider': () => this.checkDepositProvider(),
    'custody-provider': () => this.checkCustodyProvider(),
    'identity-provider': () => this.checkIdentityProvider(),
    'screening-provider': () => this.checkScreeningProvider(),
    ledger: () => this.checkLedger(),
    resources: () => this.checkResources(),
    admins: () => this.checkAdmins(),
  };

  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly memory: MemoryHealthIndicator,
    private readonly typeorm: TypeOrmHealthIndicator,
    private readonly config: AppConfig,
    private readonly repository: HealthRepository,
    private readonly callbacks: WebhookEventsService,
    private readonly withdrawals: WithdrawalsService,
    private readonly probe: DatabaseProbe,
    private readonly databaseClock: DatabaseClock,
    private readonly clock: Clock,
    private readonly shutdown: GracefulShutdown,
    private readonly chain: ChainClient,
    private readonly deposits: DepositProvider,
    private readonly identity: IdentityProviderClient,
    private readonly screening: ScreeningProvider,
    private readonly integrity: IntegrityRunsRepository,
    private readonly admins: AdminDirectoryService,
    private readonly jobs: Jobs,
  ) {}

  /** Measures the delay of the event loop from here on, since the start-up itself blocks the loop. */
  onApplicationBootstrap(): void {
    this.loopDelay.enable();
  }

  /** Up while the process runs. */
  liveIndicators(): Indicator[] {
    return [async () => this.indicators.check('process').up()];
  }

  /** Up while the process may serve and the database answers on a connection outside the pool. */
  readyIndicators(timeoutMs: number): Indicator[] {
    const processIndicator = this.indicators.check('process');
    const mayServe = !this.shutdown.isShuttingDown && this.databaseClock.isInSync;
    return [
      async () => (mayServe ? processIndicator.up() : processIndicator.down()),
      () => this.typeorm.pingCheck('database', { connection: this.probe }).withTimeout(timeoutMs),
    ];
  }

  componentIndicators(timeoutMs: number): Indicator[] {
    return COMPONENTS.filter(
      (name) => name !== 'screening-provider' || this.config.SCREENING_URL !== undefined,
    ).map((name) => this.componentIndicator(name, timeoutMs));
  }

  componentIndicator(name: ComponentName, timeoutMs: number): Indicator {
    return async () => {
      const indicator = this.indicators.check(name);
      const attempt = await indicator
        .attempt(async () => ({ result: await this.check(name) }))
        .withTimeout(timeoutMs)
        .cacheFor(CACHE_MS);
      const { result, message, responseTime } = attempt[name] as Attempt;
      const health: ComponentHealth = {
        component: name,
        latency: responseTime,
        lastChecked: this.checkedAt.get(name) ?? null,
        ...(result ?? { status: 'unhealthy', message, details: {} }),
      };
      if (health.status === 'unhealthy') return indicator.down({ health });
      return health.status === 'degraded' ? indicator.degraded({ health }) : indicator.up({ health });
    };
  }

  /** Logs the cause of a failure; the response contains a sentence only. */
  private async check(name: ComponentName): Promise<HealthResult> {
    this.checkedAt.set(name, this.clock.now());
    try {
      return await this.checks[name]();
    } catch (error) {
      this.log.warn({ msg: `${name} does not answer`, err: error });
      throw new Error(error instanceof DomainError ? error.message : 'does not answer', { cause: error });
    }
  }

  private async checkDatabase(): Promise<HealthResult> {
    const version = await this.repository.findSchemaVersion();
    return resultOf({ schema: version?.name ?? 'none', migrations: String(version?.migrations ?? 0) });
  }

  private async checkChain(): Promise<HealthResult> {
    const state = await this.chain.state();
    const details = {
      chainId: String(state.chainId),
      newestBlock: String(state.blockNumber),
      missing: state.missing.join(', ') || 'none',
    };
    return { ...chainCondition(state, this.config.CHAIN_ID), details };
  }

  private async checkDepositProvider(): Promise<HealthResult> {
    await this.deposits.listDeposits(0, 1);
    return resultOf({ name: this.config.DEPOSIT_PROVIDER_NAME });
  }

  /** Reads the provider's last call to this service, since the provider has no address that could be called. */
  private async checkCustodyProvider(): Promise<HealthResult> {
    const name = this.config.CUSTODY_PROVIDER_NAME;
    const dayAgo = new Date(this.clock.now().getTime() - DAY_MS);
    const { last, failed } = await this.callbacks.getFigures(name, dayAgo);
    const details = { name, lastCall: last?.toISOString() ?? 'none yet' };
    if (!last) return { status: 'unknown', message: 'has not called yet', details, lastChecked: null };
    const concerns = failed > 0 ? [`${failed} of its calls failed in the last 24 hours`] : [];
    return { ...resultOf(details, concerns), lastChecked: last };
  }

  private async checkIdentityProvider(): Promise<HealthResult> {
    await this.identity.ping();
    return resultOf({ name: this.config.IDP_NAME });
  }

  private async checkScreeningProvider(): Promise<HealthResult> {
    const last = await this.screening.requireAvailable();
    return resultOf({ lastQuestion: last?.at.toISOString() ?? 'none yet' });
  }

  /** Reads the result of the last integrity check and the oldest open withdrawal. Checks no balances itself. */
  private async checkLedger(): Promise<HealthResult> {
    const [run, oldest] = await Promise.all([
      this.integrity.findNewestVerdict(),
      this.withdrawals.findOldestOpenRequestTime(),
    ]);
    const details = {
      lastCheck: run?.at.toISOString() ?? 'none yet',
      oldestOpenWithdrawal: oldest?.toISOString() ?? 'none',
    };
    const lastChecked = run?.at ?? null;
    if (run?.status === 'broken')
      return {
        status: 'unhealthy',
        message: 'An invariant of the ledger is violated.',
        details,
        lastChecked,
      };
    if (oldest && this.hoursSince(oldest) > MAX_HOURS_OF_WITHDRAWAL)
      return { ...resultOf(details, ['a withdrawal waits for more than 24 hours']), lastChecked };
    if (!run) return { status: 'unknown', message: 'not checked yet', details, lastChecked };
    return this.hoursSince(run.at) > MAX_HOURS_UNCHECKED
      ? { status: 'unknown', message: 'the last check is more than 36 hours old', details, lastChecked }
      : { ...resultOf(details), lastChecked };
  }

  /** The delay of the event loop is the 99th percentile since the last check: each check resets the measurement. */
  private async checkResources(): Promise<HealthResult> {
    const { heap } = await this.memory.checkHeap('heap', MAX_HEAP_BYTES);
    const { rss, heapUsed } = process.memoryUsage();
    const overdueJobs = this.jobs.overdue; // as the job `overdue-jobs` found them in the last minute
    const delayMs = Math.round(this.loopDelay.percentile(99) / 1e6);
    this.loopDelay.reset();
    const details = {
      rssMegabytes: String(Math.round(rss / MEGABYTE)),
      heapUsedMegabytes: String(Math.round(heapUsed / MEGABYTE)),
      eventLoopDelayMs: String(delayMs),
      clockAheadMs: String(Math.round(this.databaseClock.skewMs)),
      overdueJobs: String(overdueJobs.length),
      uptimeSeconds: String(Math.round(process.uptime())),
    };
    return resultOf(details, [
      ...(this.databaseClock.isInSync ? [] : ['the clock differs from that of the database']),
      ...(delayMs > MAX_LOOP_DELAY_MS ? ['the event loop is late'] : []),
      ...(heap.status === 'up' ? [] : ['the heap is nearly full']),
      ...(overdueJobs.length > 0 ? [`these jobs are overdue: ${overdueJobs.join(', ')}`] : []),
    ]);
  }

  private async checkAdmins(): Promise<HealthResult> {
    const concerns = this.admins.isReadable ? [] : ['ADMINS_FILE has a fault, see the log'];
    return resultOf({ listed: String(this.admins.countAdmins()) }, concerns);
  }

  private hoursSince(instant: Date): number {
    return (this.clock.now().getTime() - instant.getTime()) / HOUR_MS;
  }
}

/** Healthy without concerns, otherwise degraded. */
function resultOf(details: HealthResult['details'], concerns: readonly string[] = []): HealthResult {
  return concerns.length > 0
    ? { status: 'degraded', message: concerns.join(', '), details }
    : { status: 'healthy', message: 'answers', details };
}

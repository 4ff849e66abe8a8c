import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DataSource } from 'typeorm';
import { DatabaseClock } from '../../database/database-clock.js';
import { AppConfig } from '../../config/app-config.js';
import { Clock } from '../../kernel/clock.js';
import { fail } from '../../kernel/errors/domain-error.js';
import { AdminDirectory } from '../admins/admin-directory.js';
import { IdentityProvider } from '../auth/identity-provider.js';
import { Chain } from '../blockchain/chain.js';
import { DepositProvider } from '../deposits/provider/deposit-provider.js';
import { ScreeningProvider } from '../screening/screening-provider.js';
import { IntegrityRuns } from '../integrity/integrity-runs.js';
import type { ComponentName, Finding } from './finding.js';

const MOST_HOURS_OPEN = 24;
const MOST_HOURS_UNCHECKED = 36; // every night, and some patience
const HOUR_MS = 3_600_000;
const MOST_LOOP_DELAY_MS = 500;
const MEGABYTE = 1_048_576;

/** One look at each component. Throws when it does not answer; whoever looks bounds the time. */
@Injectable()
export class Looks implements OnApplicationBootstrap {
  private readonly loopDelay = monitorEventLoopDelay({ resolution: 20 });

  constructor(
    private readonly config: AppConfig,
    private readonly dataSource: DataSource,
    private readonly chain: Chain,
    private readonly deposits: DepositProvider,
    private readonly identity: IdentityProvider,
    private readonly screening: ScreeningProvider,
    private readonly integrity: IntegrityRuns,
    private readonly clock: Clock,
    private readonly databaseClock: DatabaseClock,
    private readonly admins: AdminDirectory,
  ) {}

  /** From here on: loading the service is no lateness in serving. */
  onApplicationBootstrap(): void {
    this.loopDelay.enable();
  }

  at(component: ComponentName): Promise<Finding> {
    switch (component) {
      case 'database':
        return this.atDatabase();
      case 'chain':
        return this.atChain();
      case 'deposit-provider':
        return this.atDepositProvider();
      case 'custody-provider':
        return this.atCustodyProvider();
      case 'identity-provider':
        return this.atIdentityProvider();
      case 'screening-provider':
        return this.atScreeningProvider();
      case 'ledger':
        return this.atLedger();
      case 'resources':
        return this.atResources();
      case 'admins':
        return this.atAdmins();
    }
  }

  private async atDatabase(): Promise<Finding> {
    const [row] = await this.dataSource.query<{ name: string; migrations: number }[]>(
      `select name, count(*) over ()::int as migrations from migrations order by id desc limit 1`,
    );
    return { details: { schema: row?.name ?? 'none', migrations: String(row?.migrations ?? 0) } };
  }

  private async atChain(): Promise<Finding> {
    const block = await this.chain.newestBlock();
    return { details: { chainId: String(this.config.CHAIN_ID), newestBlock: String(block) } };
  }

  private async atDepositProvider(): Promise<Finding> {
    await this.deposits.list(0, 1);
    return { details: { name: this.config.DEPOSIT_PROVIDER_NAME } };
  }

  /** It calls us and has no address of its own: it is as well as the calls that came of it. */
  private async atCustodyProvider(): Promise<Finding> {
    const name = this.config.CUSTODY_PROVIDER_NAME;
    const [row] = await this.dataSource.query<{ last: Date | null; failed: number }[]>(
      `select max(received_at) as last,
              (count(*) filter (where status = 'failed' and received_at > $2))::int as failed
         from webhook_event where provider = $1`,
      [name, new Date(this.clock.now().getTime() - MOST_HOURS_OPEN * HOUR_MS)],
    );
    const details = { name, lastCall: row?.last?.toISOString() ?? 'none yet' };
    return row && row.failed > 0
      ? { concern: `${row.failed} of its calls failed in the last 24 hours`, details }
      : { details };
  }

  private async atIdentityProvider(): Promise<Finding> {
    await this.identity.ping();
    return { details: { name: this.config.IDP_NAME } };
  }

  private async atScreeningProvider(): Promise<Finding> {
    const last = await this.screening.requireAvailable();
    return { details: { lastQuestion: last?.at.toISOString() ?? 'none yet' } };
  }

  /** The trial balance is the nightly check's; here is looked whether it held, and whether withdrawals wait. */
  private async atLedger(): Promise<Finding> {
    const [run, [waiting]] = await Promise.all([
      this.integrity.last(),
      this.dataSource.query<{ oldest: Date | null }[]>(
        `select min(created_at) as oldest from withdrawal where status in ('pending', 'approved', 'processing')`,
      ),
    ]);
    if (run?.status === 'broken')
      fail('INTERNAL_SERVER_ERROR', undefined, { message: 'A law of the ledger is broken.' });
    const oldest = waiting?.oldest ?? null;
    const concerns = [
      ...(oldest && this.hoursSince(oldest) > MOST_HOURS_OPEN
        ? ['a withdrawal waits for more than 24 hours']
        : []),
      ...(run && this.hoursSince(run.at) > MOST_HOURS_UNCHECKED ? ['the nightly check did not run'] : []),
    ];
    const details = {
      lastCheck: run?.at.toISOString() ?? 'none yet',
      oldestOpenWithdrawal: oldest?.toISOString() ?? 'none',
    };
    return concerns.length > 0 ? { concern: concerns.join(', '), details } : { details };
  }

  private async atResources(): Promise<Finding> {
    const { rss, heapUsed } = process.memoryUsage();
    const delayMs = Math.round(this.loopDelay.percentile(99) / 1e6);
    this.loopDelay.reset();
    const details = {
      rssMegabytes: String(Math.round(rss / MEGABYTE)),
      heapUsedMegabytes: String(Math.round(heapUsed / MEGABYTE)),
      eventLoopDelayMs: String(delayMs),
      clockAheadMs: String(Math.round(this.databaseClock.aheadMs)),
      uptimeSeconds: String(Math.round(process.uptime())),
    };
    const concerns = [
      ...(this.databaseClock.isRight ? [] : ['the clock is not that of the database']),
      ...(delayMs > MOST_LOOP_DELAY_MS ? ['the event loop is late'] : []),
    ];
    return concerns.length > 0 ? { concern: concerns.join(', '), details } : { details };
  }

  private async atAdmins(): Promise<Finding> {
    const details = { listed: String(this.admins.count()) };
    return this.admins.isReadable
      ? { details }
      : { concern: 'ADMINS_FILE has a fault, see the log', details };
  }

  private hoursSince(instant: Date): number {
    return (this.clock.now().getTime() - instant.getTime()) / HOUR_MS;
  }
}

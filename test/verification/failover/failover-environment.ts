import { rmSync } from 'node:fs';
import { PLATFORM_DATABASE } from '../../../src/sandbox/postgres.js';
import { startOutsideWorld, type OutsideWorld } from '../../../src/sandbox/outside-world.js';
import { ApiProcess } from '../../harness/api-process.js';
import { FailoverCluster } from '../../harness/failover-cluster.js';
import { testFolder } from '../../harness/test-folder.js';
import { WATCHED_SETTINGS } from '../load/memory-growth.js';
import { LOAD_SETTINGS, queryDirectly, type LoadEnvironment } from '../mixed-load/environment.js';

/** Three database servers, and one API process that has the addresses of all of them. */
export class FailoverEnvironment implements LoadEnvironment {
  private constructor(
    private readonly folder: string,
    readonly cluster: FailoverCluster,
    readonly outside: OutsideWorld,
    readonly api: ApiProcess,
  ) {}

  static async start(): Promise<FailoverEnvironment> {
    const folder = testFolder('failover-world');
    const cluster = await FailoverCluster.start();
    const callbackTarget = { url: '' };
    const outside = await startOutsideWorld({
      dataDir: folder,
      api: callbackTarget,
      blockIntervalMs: 50,
      environment: { DATABASE_URL: cluster.url },
    });
    const api = await ApiProcess.launch({
      ...outside.env,
      ...LOAD_SETTINGS,
      ...WATCHED_SETTINGS,
      LOG_SEAL_SECONDS: '1',
      DATABASE_URL: cluster.url,
    });
    callbackTarget.url = api.url;
    await api.waitUntilReady();
    return new FailoverEnvironment(folder, cluster, outside, api);
  }

  get urls(): readonly string[] {
    return [this.api.url];
  }

  get databaseUrl(): string {
    return this.cluster.primaryUrl;
  }

  /** The number of sessions that the API process has at the primary. */
  async countSessions(): Promise<number> {
    const [row] = await queryDirectly<{ count: number }>(
      this,
      `select count(*)::int as count from pg_stat_activity
        where datname = '${PLATFORM_DATABASE}' and application_name like 'stablecoin-platform%'`,
    );
    return row?.count ?? 0;
  }

  async waitUntilHealthy(): Promise<void> {
    await this.cluster.rebuild();
    for (const party of ['deposit', 'custody', 'identity', 'chain'] as const)
      await this.outside.providers.endFault(party);
    await this.api.waitUntilReady();
  }

  output(): string {
    return this.api.output.slice(-5000);
  }

  async stop(): Promise<void> {
    await this.api.kill();
    await this.outside.stop();
    await this.cluster.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '../../../src/common/durations.js';
import { AdminInvestmentSteps } from '../../fixtures/admin-investments.js';
import { ApiProcess } from '../../harness/api-process.js';
import type { Reply } from '../../harness/http-client.js';
import type { SeededRandom } from '../../harness/seeded-random.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { testFolder } from '../../harness/test-folder.js';
import { TreasurySteps } from '../../fixtures/treasury.js';
import { WithdrawalSteps } from '../../fixtures/withdrawals.js';

/** Random delays of concurrent calls, so that each call is sometimes the first. */
const DELAYS_MS = [0, 0, 0, 1, 2, 4];

interface Options {
  settings?: Record<string, string>;
  /** Path of another build of the API. */
  program?: string;
  /** Runs before the two processes start. */
  prepare?: (platform: TestPlatform) => Promise<void>;
}

/**
 * Two API processes on one database. The service of the test platform, a third one in this process, prepares and reads data, and
 * `WithdrawalSteps.fail` calls it directly.
 */
export class TwoApiProcesses {
  private offsetMs = 0;

  private constructor(
    readonly platform: TestPlatform,
    private readonly processes: readonly ApiProcess[],
    private readonly folder: string,
  ) {}

  static async start({ settings, program, prepare }: Options = {}): Promise<TwoApiProcesses> {
    const folder = testFolder('two-api-processes');
    const platform = await startPlatform({
      at: new Date().toISOString(),
      settings: { DEPOSIT_POLL_SECONDS: '3600', ...settings },
    });
    const env = { ...platform.env, CLOCK_FILE: join(folder, 'clock.json') };
    const processes: ApiProcess[] = [];
    const twoProcesses = new TwoApiProcesses(platform, processes, folder);
    try {
      await prepare?.(platform);
      for (let count = 0; count < 2; count++) processes.push(await ApiProcess.launch(env, program));
      for (const process of processes) await process.waitUntilReady();
    } catch (error) {
      await twoProcesses.stop(); // otherwise the started processes would keep the test run from ending
      throw error;
    }
    return twoProcesses;
  }

  get urls(): string[] {
    return this.processes.map(({ url }) => url);
  }

  /** Starts the next day in both processes at the same time. */
  advanceDay(): void {
    this.offsetMs += DAY_MS;
    const file = join(this.folder, 'clock.json');
    writeFileSync(`${file}.new`, JSON.stringify({ offsetMs: this.offsetMs }));
    renameSync(`${file}.new`, file); // atomic: no process reads a half-written file
  }

  async stop(): Promise<void> {
    for (const process of this.processes) await process.kill();
    await this.platform.stop();
  }
}

/** Test steps whose calls go to a random one of the two processes. */
export class RaceContext {
  private constructor(
    readonly platform: TestPlatform,
    readonly treasury: TreasurySteps,
    readonly investments: AdminInvestmentSteps,
    private readonly random: SeededRandom,
  ) {}

  static async create(
    { platform, urls }: { platform: TestPlatform; urls: string[] },
    random: SeededRandom,
  ): Promise<RaceContext> {
    const as: TestPlatform['as'] = (caller, url = random.oneOf(urls)) => platform.as(caller, url);
    const distributed = { ...platform, as };
    const admin = await platform.given.admin('admin');
    const admin2 = await platform.given.admin('admin2');
    const treasury = new TreasurySteps(distributed, new WithdrawalSteps(distributed, admin), admin, admin2);
    return new RaceContext(distributed, treasury, new AdminInvestmentSteps(distributed, admin), random);
  }

  get withdrawals(): WithdrawalSteps {
    return this.treasury.withdrawals;
  }

  /** Sends all calls concurrently with random delays; the replies are in the order of the calls. */
  callConcurrently(...calls: (() => Promise<Reply>)[]): Promise<Reply[]> {
    return Promise.all(
      calls.map(async (call) => {
        await sleep(this.random.oneOf(DELAYS_MS));
        return call();
      }),
    );
  }
}

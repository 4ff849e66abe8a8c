import { setTimeout as sleep } from 'node:timers/promises';
import type { TestUser } from '../../fixtures/given.js';
import { storedMessages } from '../../fixtures/live.js';
import { RecordedSubscription } from '../../fixtures/live-subscriptions.js';
import { DESTINATION, USER_WITHDRAWALS } from '../../fixtures/withdrawals.js';
import { ApiProcess } from '../../harness/api-process.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { TcpProxy } from '../../harness/tcp-proxy.js';
import { undefinedWithoutResponse } from '../../harness/writes-during-kills.js';

const USERS = 3;
const MIN_EVENTS_PER_KILL = 4; // that each user receives before the next kill
const WRITE_PAUSE_MS = 100; // leaves CPU time to the process that starts
const KILLS_PER_PROGRESS_LINE = 10;

interface ListeningUser {
  user: TestUser;
  live: RecordedSubscription;
  /** Ids of withdrawals in the order of their responses. */
  acknowledgedIds: string[];
}

export interface KillsOutcome {
  kills: number;
  events: number;
  /** Number of connections of the client that has opened the fewest. */
  fewestConnections: number;
}

/**
 * Each user requests withdrawals one after the other, at two API processes in turn, and receives the events through one
 * proxy, which connects all users to the same process. One of the processes is killed and started again, repeatedly.
 */
export class KilledProcesses {
  /** Whether the proxy connects to the first process. */
  private isFirstProxied = true;

  private constructor(
    private readonly platform: TestPlatform,
    private readonly processes: readonly [ApiProcess, ApiProcess],
    private readonly proxy: TcpProxy,
    private readonly users: readonly ListeningUser[],
  ) {}

  static async start(): Promise<KilledProcesses> {
    const platform = await startPlatform({
      at: new Date().toISOString(),
      settings: { WITHDRAWAL_DAILY_LIMIT: '1000000000.00' },
    });
    const env = { ...platform.env, DATABASE_POOL_SIZE: '5' };
    const processes = [await ApiProcess.launch(env), await ApiProcess.launch(env)] as const;
    for (const process of processes) await process.waitUntilReady();
    const proxy = await TcpProxy.startFor(processes[0].url);
    const users: ListeningUser[] = [];
    for (let number = 0; number < USERS; number++) {
      const user = await platform.given.user().withBalance('100000000.00');
      const live = new RecordedSubscription({ baseUrl: proxy.url, token: user.token });
      await live.live();
      await platform.given.deposit(user.id, '1.00'); // before the first event a client has no id to continue from
      await eventually(async () => expect(live.ids('deposit.completed')).not.toHaveLength(0));
      users.push({ user, live, acknowledgedIds: [] });
    }
    return new KilledProcesses(platform, processes, proxy, users);
  }

  async stop(): Promise<void> {
    for (const { live } of this.users) live.subscription.close();
    for (const process of this.processes) await process.kill();
    await this.proxy.close();
    await this.platform.stop();
  }

  /** Kills a process `kills` times while all users write, then compares the received events with the stored ones. */
  async run(kills: number): Promise<KillsOutcome> {
    let isRunning = true;
    const writers = this.users.map((user) => this.writeWithdrawals(user, () => isRunning));
    try {
      const beganAt = performance.now();
      for (let kill = 0; kill < kills; kill++) {
        await this.killAndRestart(kill);
        if ((kill + 1) % KILLS_PER_PROGRESS_LINE === 0)
          process.stderr.write(
            `  ${kill + 1} of ${kills} kills, ${((performance.now() - beganAt) / 1000).toFixed(0)} s\n`,
          );
      }
    } finally {
      isRunning = false;
      await Promise.all(writers);
    }
    for (const user of this.users) await this.requireComplete(user);
    return {
      kills,
      events: this.users.reduce((sum, { live }) => sum + live.events.length, 0),
      fewestConnections: Math.min(...this.users.map(({ live }) => connectionsOf(live))),
    };
  }

  /**
   * Two of three kills end the process to which the proxy connects, so that the clients continue at the other one. Every third
   * kill ends the other process, which has no live connections but receives every second write.
   */
  private async killAndRestart(kill: number): Promise<void> {
    const [proxied, other] = this.isFirstProxied ? this.processes : [this.processes[1], this.processes[0]];
    const eventsBefore = this.users.map(({ live }) => live.events.length);
    const [victim, survivor] = kill % 3 === 2 ? [other, proxied] : [proxied, other];
    this.proxy.redirectTo(survivor.url);
    await victim.kill();
    victim.start();
    await Promise.all([
      victim.waitUntilReady(),
      ...this.users.map(({ live }, index) =>
        eventually(async () =>
          expect(live.events.length).toBeGreaterThanOrEqual(
            (eventsBefore[index] as number) + MIN_EVENTS_PER_KILL,
          ),
        ),
      ),
    ]);
    this.isFirstProxied = survivor === this.processes[0];
  }

  /** Requests withdrawals in sequence. A request without a response is not repeated; it may have been carried out. */
  private async writeWithdrawals(
    { user, acknowledgedIds }: ListeningUser,
    isRunning: () => boolean,
  ): Promise<void> {
    const body = { amount: '10.00', currency: 'USDC', toAddress: DESTINATION };
    for (let turn = 0; isRunning(); turn++) {
      const { url } = this.processes[turn % 2] as ApiProcess;
      const reply = await this.platform
        .as(user, url)
        .post(USER_WITHDRAWALS, body)
        .catch(undefinedWithoutResponse);
      if (reply?.status === 201) acknowledgedIds.push(reply.data.id as string);
      await sleep(WRITE_PAUSE_MS);
    }
  }

  /**
   * Requires that each event stored since the first received one has arrived once and in order, and that the events of the
   * acknowledged withdrawals have arrived in the order of the responses.
   */
  private async requireComplete({ user, live, acknowledgedIds }: ListeningUser): Promise<void> {
    const [first = ''] = live.ids();
    await eventually(async () => {
      const stored = await storedMessages(this.platform.dataSource, user.id);
      const ids = stored.map(({ id }) => id);
      expect(live.ids()).toEqual(ids.slice(ids.indexOf(first)));
    });
    const requested = live.events.flatMap((event) =>
      event.type === 'withdrawal.requested' ? [event.data.withdrawalId] : [],
    );
    const acknowledged = new Set(acknowledgedIds);
    expect(acknowledgedIds).not.toHaveLength(0);
    expect(requested.filter((id) => acknowledged.has(id))).toEqual(acknowledgedIds);
    expect(live.gaps).toEqual([0]); // one gap, before the first event: the first connection had no id to continue from
  }
}

function connectionsOf({ states }: RecordedSubscription): number {
  return states.filter(({ status }) => status === 'live').length;
}

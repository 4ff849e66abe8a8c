import type { TestUser } from '../../fixtures/given.js';
import { RecordedSubscription } from '../../fixtures/live-subscriptions.js';
import { DESTINATION, USER_WITHDRAWALS } from '../../fixtures/withdrawals.js';
import { ApiProcess } from '../../harness/api-process.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { TcpProxy } from '../../harness/tcp-proxy.js';

const USERS = 3;
const EVENTS_PER_LIFE = 3;
const WRITE_PAUSE_MS = 100; // leaves the processors to the process that starts
const PROGRESS_KILLS = 10;

interface Watched {
  user: TestUser;
  live: RecordedSubscription;
  /** Withdrawals in the order in which this user's requests were answered. */
  acknowledged: string[];
}

export interface KillsOutcome {
  kills: number;
  events: number;
  /** Connections that each client has opened, the most of all clients. */
  connections: number;
}

/**
 * Users write events one after the other and listen to their own, through one address before two API processes. The process
 * that serves the address, or the other one, is killed and started again.
 */
export class KilledProcesses {
  private servingIsFirst = true;

  private constructor(
    private readonly platform: TestPlatform,
    private readonly processes: readonly [ApiProcess, ApiProcess],
    private readonly proxy: TcpProxy,
    private readonly watched: readonly Watched[],
  ) {}

  static async start(): Promise<KilledProcesses> {
    const platform = await startPlatform({
      at: new Date().toISOString(),
      settings: { WITHDRAWAL_DAILY_LIMIT: '1000000000.00', SHUTDOWN_SECONDS: '1' },
    });
    const env = { ...platform.env, DATABASE_POOL_SIZE: '5' };
    const processes = [await ApiProcess.launch(env), await ApiProcess.launch(env)] as const;
    for (const process of processes) await process.waitUntilReady();
    const proxy = await TcpProxy.startFor(processes[0].url);
    const watched: Watched[] = [];
    for (let number = 0; number < USERS; number++) {
      const user = await platform.given.user().withBalance('100000000.00');
      const live = new RecordedSubscription({ baseUrl: proxy.url, token: user.token });
      await live.live();
      await platform.given.deposit(user.id, '1.00'); // before the first event a client has no id to continue from
      await eventually(async () => expect(live.ids('deposit.completed')).not.toHaveLength(0));
      watched.push({ user, live, acknowledged: [] });
    }
    return new KilledProcesses(platform, processes, proxy, watched);
  }

  async stop(): Promise<void> {
    for (const { live } of this.watched) live.subscription.close();
    for (const process of this.processes) await process.kill();
    await this.proxy.close();
    await this.platform.stop();
  }

  /** Kills a process `kills` times while all users write, then compares the received events with the stored ones. */
  async run(kills: number): Promise<KillsOutcome> {
    let isRunning = true;
    const writers = this.watched.map((one) => this.write(one, () => isRunning));
    try {
      const began = performance.now();
      for (let kill = 0; kill < kills; kill++) {
        await this.killAndRestart(kill);
        if ((kill + 1) % PROGRESS_KILLS === 0)
          process.stderr.write(
            `  ${kill + 1} of ${kills} kills, ${((performance.now() - began) / 1000).toFixed(0)} s\n`,
          );
      }
    } finally {
      isRunning = false;
      await Promise.all(writers);
    }
    for (const one of this.watched) await this.requireComplete(one);
    return {
      kills,
      events: this.watched.reduce((sum, { live }) => sum + live.events.length, 0),
      connections: Math.max(...this.watched.map(({ live }) => statuses(live, 'live'))),
    };
  }

  /** Every third kill is that of the process without clients, which writes every second event. */
  private async killAndRestart(kill: number): Promise<void> {
    const [serving, other] = this.servingIsFirst ? this.processes : [this.processes[1], this.processes[0]];
    const before = this.watched.map(({ live }) => live.events.length);
    const [victim, survivor] = kill % 3 === 2 ? [other, serving] : [serving, other];
    this.proxy.redirectTo(survivor.url);
    await victim.kill();
    victim.start();
    await Promise.all([
      victim.waitUntilReady(),
      ...this.watched.map(({ live }, place) =>
        eventually(async () =>
          expect(live.events.length).toBeGreaterThan((before[place] as number) + EVENTS_PER_LIFE),
        ),
      ),
    ]);
    this.servingIsFirst = survivor === this.processes[0];
  }

  /** One withdrawal after the other; a request without an answer may have been done. */
  private async write({ user, acknowledged }: Watched, isRunning: () => boolean): Promise<void> {
    const body = { amount: '10.00', currency: 'USDC', toAddress: DESTINATION };
    for (let turn = 0; isRunning(); turn++) {
      const { url } = this.processes[turn % 2] as ApiProcess;
      const reply = await this.platform
        .as(user, url)
        .post(USER_WITHDRAWALS, body)
        .catch(() => undefined);
      if (reply?.status === 201) acknowledged.push(reply.data.id as string);
      await new Promise((resolve) => setTimeout(resolve, WRITE_PAUSE_MS));
    }
  }

  private async requireComplete({ user, live, acknowledged }: Watched): Promise<void> {
    const stored = `select id from live_event where recipient_id = $1
                      and created_at >= (select created_at from live_event where id = $2) order by sequence`;
    const [first = ''] = live.ids();
    await eventually(async () => {
      const rows = await this.platform.dataSource.query<{ id: string }[]>(stored, [user.id, first]);
      expect(live.ids()).toEqual(rows.map(({ id }) => id));
    });
    const requested = live.events.flatMap((event) =>
      event.type === 'withdrawal.requested' ? [event.data.withdrawalId] : [],
    );
    const answered = new Set(acknowledged);
    expect(requested.filter((id) => answered.has(id))).toEqual(acknowledged);
    expect(live.gaps).toEqual([0]);
  }
}

function statuses(live: RecordedSubscription, status: string): number {
  return live.states.filter((state) => state.status === status).length;
}

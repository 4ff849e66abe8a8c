import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import {
  PLATFORM_DATABASE,
  postgresUrl,
  startPostgres,
  type RunningPostgres,
} from '../../src/sandbox/postgres.js';
import { freePort } from '../../src/sandbox/ports.js';
import { connectionInfo, copyCluster } from './base-backup.js';
import { eventually } from './eventually.js';
import { idsOfTree } from './process-table.js';
import { follow } from './standby.js';
import { TcpProxy } from './tcp-proxy.js';
import { testFolder } from './test-folder.js';

const SERVERS = 3;
const START_MS = 120_000; // long, because the machine may be busy
const SETTINGS = {
  wal_keep_size: '128MB',
  max_wal_size: '128MB',
  wal_retrieve_retry_interval: '100ms',
};

/**
 * `killed`: all processes of the server end at once. `frozen`: they are suspended. `partitioned`: no packet reaches the server or
 * leaves it, and no connection to it ends. `stopped`: the server ends its sessions and shuts down, as in a planned switchover.
 */
export const PRIMARY_FAULTS = ['killed', 'frozen', 'partitioned', 'stopped'] as const;
export type PrimaryFault = (typeof PRIMARY_FAULTS)[number];

/** A server with the proxy through which the platform and the other servers connect to it. */
interface Member {
  readonly folder: string;
  readonly port: number;
  readonly proxy: TcpProxy;
  server: RunningPostgres | undefined;
  /** The server was shut down as the primary, after its standbys had received all of its log: it can follow one of them. */
  canFollow: boolean;
}

/** Three PostgreSQL servers: a primary and two standbys, of which one has to confirm each commit. */
export class FailoverCluster {
  private primary: Member;

  private constructor(
    private readonly folder: string,
    private readonly members: readonly Member[],
  ) {
    this.primary = members[0] as Member;
  }

  static async start(): Promise<FailoverCluster> {
    const folder = testFolder('failover');
    const members: Member[] = [];
    for (let number = 0; number < SERVERS; number++) {
      const port = await freePort();
      const proxy = await TcpProxy.startFor(postgresUrl(port, 'postgres'));
      members.push({
        folder: join(folder, String(number)),
        port,
        proxy,
        server: undefined,
        canFollow: false,
      });
    }
    const cluster = new FailoverCluster(folder, members);
    try {
      await cluster.startMembers();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** The address with all hosts, for the platform. */
  get url(): string {
    const hosts = this.members.map(({ proxy }) => new URL(proxy.url).host).join(',');
    const one = postgresUrl(0, PLATFORM_DATABASE).replace('127.0.0.1:0', hosts);
    return `${one}?target_session_attrs=read-write`;
  }

  /** The address of the present primary, without a proxy, for checks. */
  get primaryUrl(): string {
    return postgresUrl(this.primary.port, PLATFORM_DATABASE);
  }

  async breakPrimary(fault: PrimaryFault): Promise<void> {
    if (fault === 'partitioned') this.primary.proxy.stall();
    else if (fault === 'stopped') {
      await this.primary.server?.stop();
      this.primary.server = undefined;
    } else signalProcesses(this.primary, fault === 'killed' ? 'SIGKILL' : 'SIGSTOP');
  }

  /** Ends all processes of the primary, so that it cannot show or accept anything any more. */
  async fencePrimary(): Promise<void> {
    const { server } = this.primary;
    if (!server) return;
    signalProcesses(this.primary, 'SIGKILL');
    await server.exited;
    this.primary.server = undefined;
  }

  /** Promotes the standby with the most log; the other one follows it. Resolves when the server accepts writes. */
  async promoteStandby(): Promise<void> {
    const standbys = this.members.filter((member) => member.server && member !== this.primary);
    const positions = await Promise.all(
      standbys.map(async (member) => {
        const sql = `select pg_wal_lsn_diff(greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()), '0/0')::text as position`;
        const [row] = await queryAt<{ position: string }>(member, sql);
        return { member, position: BigInt(row?.position ?? 0) };
      }),
    );
    const [best, ...others] = positions.sort((a, b) => (a.position < b.position ? 1 : -1));
    if (!best) throw new Error('no standby is left');
    this.primary = best.member;
    await Promise.all([
      queryAt(best.member, 'select pg_promote(true, 120)'),
      ...others.map(({ member }) => this.followPrimary(member)),
    ]);
  }

  /** Shuts the primary down, which first sends all of its log to the standbys, and promotes one of them. Resolves when that one accepts writes. */
  async switchOver(): Promise<void> {
    const former = this.primary;
    const end = former.server?.exited;
    await this.breakPrimary('stopped');
    former.canFollow = (await end) === 0; // not if it was killed, because it took too long
    await this.promoteStandby();
  }

  /**
   * Makes each server that has ended a standby: the former primary of a switchover with its own files, others with a copy of the
   * primary. Resolves when all standbys follow.
   */
  async rebuild(): Promise<void> {
    for (const member of this.members) if (!member.server) await this.startStandby(member);
    await eventually(async () => {
      const [row] = await queryAt<{ count: number }>(
        this.primary,
        `select count(*)::int as count from pg_stat_replication where state = 'streaming'`,
      );
      expect(row?.count).toBe(SERVERS - 1);
    }, START_MS);
  }

  /** Suspends both standbys, so that no commit is confirmed. */
  freezeStandbys(): void {
    for (const member of this.members)
      if (member !== this.primary && member.server) signalProcesses(member, 'SIGSTOP');
  }

  thawStandbys(): void {
    for (const member of this.members)
      if (member !== this.primary && member.server) signalProcesses(member, 'SIGCONT');
  }

  async stop(): Promise<void> {
    const standbys = this.members.filter((member) => member !== this.primary);
    for (const member of [...standbys, this.primary]) {
      if (member.server) signalProcesses(member, 'SIGCONT');
      await member.server?.stop();
      await member.proxy.close();
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async startMembers(): Promise<void> {
    const { primary } = this;
    primary.server = await startPostgres({ dataDir: primary.folder, port: primary.port });
    for (const [name, value] of Object.entries(SETTINGS))
      await queryAt(primary, `alter system set ${name} = '${value}'`);
    await queryAt(primary, 'select pg_reload_conf()');
    await this.rebuild();
    // Not before: without a standby no commit ends. The setting is in a file of each server.
    for (const member of this.members) {
      await queryAt(member, `alter system set synchronous_standby_names = 'ANY 1 (*)'`);
      await queryAt(member, 'select pg_reload_conf()');
    }
  }

  private async startStandby(member: Member): Promise<void> {
    const { primary } = this;
    const cluster = join(member.folder, 'cluster');
    await member.proxy.close();
    await member.proxy.open();
    if (!member.canFollow) {
      rmSync(member.folder, { recursive: true, force: true });
      await copyCluster(primary.server as RunningPostgres, join(primary.folder, 'cluster'), cluster);
    }
    member.canFollow = false;
    follow(cluster, primary.proxy.url);
    member.server = await startPostgres({ dataDir: member.folder, port: member.port });
  }

  private async followPrimary(member: Member): Promise<void> {
    const info = connectionInfo(this.primary.proxy.url);
    await queryAt(member, `alter system set primary_conninfo = '${info}'`);
    await queryAt(member, 'select pg_reload_conf()');
  }
}

/** A statement at one server, past its proxy. */
async function queryAt<Row extends pg.QueryResultRow>({ port }: Member, sql: string): Promise<Row[]> {
  const client = new pg.Client(postgresUrl(port, 'postgres'));
  client.on('error', () => undefined); // the query rejects with the same error
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Signals the server first, so that it does not replace the processes that end. */
function signalProcesses({ folder }: Member, signal: NodeJS.Signals): void {
  const [pid] = readFileSync(join(folder, 'cluster', 'postmaster.pid'), 'utf8').split('\n');
  for (const id of idsOfTree(Number(pid))) {
    try {
      process.kill(id, signal);
    } catch {
      // it has ended meanwhile
    }
  }
}

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const ENDED_WITHIN_MS = 30_000;
// SQLSTATEs of a running server that accepts no connection: starting up, shutting down (57P..), too many clients (53...).
const ALIVE_BUT_BUSY = /^(57P|53)/;

/** What listens at an address: this cluster's server, a server that accepts no connections, or neither of them. */
type Listener = 'ours' | 'busy' | 'none';

/** The lines of a pid file with process id, folder and start time. Later lines change while the server runs. */
function identity(pidFileText: string): string {
  return pidFileText.split('\n', 3).join('\n');
}

/** Reads postmaster.pid through the server at `url`. Only the server of this cluster has the file with `pidFileText`. */
async function listenerAt(url: string, pidFileText: string): Promise<Listener> {
  const client = new pg.Client(url);
  // The server may end while this client is connected.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ text: string }>(`SELECT pg_read_file('postmaster.pid') AS text`);
    return rows[0] && identity(rows[0].text) === identity(pidFileText) ? 'ours' : 'none';
  } catch (error) {
    return ALIVE_BUT_BUSY.test(String((error as { code?: string }).code)) ? 'busy' : 'none';
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Ends the PostgreSQL server of a killed run. The caller holds the lock of the data folder, so a running server of this
 * cluster is an orphan. A pid file without a server is removed, because PostgreSQL would refuse to start if another
 * process has the id in it.
 */
export async function endOrphan(cluster: string, url: (port: number) => string): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid');
  const deadline = Date.now() + ENDED_WITHIN_MS;
  while (existsSync(pidFile)) {
    const text = readFileSync(pidFile, 'utf8');
    // Lines of the file: process id, folder, start time, port, …
    const [pid, , , port] = text.split('\n').map(Number);
    const listener = pid && port ? await listenerAt(url(port), text) : 'none';
    if (listener === 'none') {
      rmSync(pidFile, { force: true });
      return;
    }
    if (Date.now() > deadline) throw new Error(`PostgreSQL of an earlier run (process ${pid}) does not end.`);
    if (listener === 'ours' && pid) interrupt(pid);
    await sleep(200);
  }
}

function interrupt(pid: number): void {
  try {
    process.kill(pid, 'SIGINT');
  } catch {
    // The process has ended meanwhile.
  }
}

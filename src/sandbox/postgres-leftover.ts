import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const ENDED_WITHIN_MS = 30_000;
// PostgreSQL's codes for "starting up", "shutting down" (57P..) and "too many clients" (53...): it lives.
const ALIVE_BUT_BUSY = /^(57P|53)/;

type Holder = 'ours' | 'busy' | 'nobody';

/** Pid, folder and start time; the lines below change while a server runs. */
function identity(pidFileText: string): string {
  return pidFileText.split('\n', 3).join('\n');
}

/** Asks the server at `url` for the pid file of its own folder: only ours has the text that we see. */
async function holderOf(pidFileText: string, url: string): Promise<Holder> {
  const client = new pg.Client(url);
  // A server that ends while we are connected is what we want, not an error.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ text: string }>(`SELECT pg_read_file('postmaster.pid') AS text`);
    return rows[0] && identity(rows[0].text) === identity(pidFileText) ? 'ours' : 'nobody';
  } catch (error) {
    return ALIVE_BUT_BUSY.test(String((error as { code?: string }).code)) ? 'busy' : 'nobody';
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * After a kill the last run's server may still serve this cluster, or have left its pid file behind, whose
 * number may belong to somebody else by now. The caller holds the data folder, so a live server is an orphan:
 * it is asked to end. A file that no server answers for is removed, because PostgreSQL would take any process
 * of that number for itself and refuse to start.
 */
export async function endLeftover(cluster: string, url: (port: number) => string): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid');
  const deadline = Date.now() + ENDED_WITHIN_MS;
  while (existsSync(pidFile)) {
    const text = readFileSync(pidFile, 'utf8');
    // Its lines: pid, folder, start time, port, …
    const [pid, , , port] = text.split('\n').map(Number);
    const holder = pid && port ? await holderOf(text, url(port)) : 'nobody';
    if (holder === 'nobody') {
      rmSync(pidFile, { force: true });
      return;
    }
    if (Date.now() > deadline) throw new Error(`PostgreSQL of an earlier run (process ${pid}) does not end.`);
    if (holder === 'ours' && pid) process.kill(pid, 'SIGINT');
    await sleep(200);
  }
}

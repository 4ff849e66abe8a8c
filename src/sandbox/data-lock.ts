import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readJson, writeJson } from './json-file.js';
import { LOOPBACK } from './ports.js';

interface Holder {
  pid: number;
  port: number;
  token: string;
}

export type DataLock =
  | { isAcquired: false; holderPid: number }
  | { isAcquired: true; lastRunWasKilled: boolean; release: () => void };

/** Longer than the event loop of a holder is blocked while it creates the database. */
const ANSWER_TIMEOUT_MS = 15_000;

function isAlive({ port, token }: Holder): Promise<boolean> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ port, host: LOOPBACK, timeout: ANSWER_TIMEOUT_MS });
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('timeout', () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer === token));
  });
}

/**
 * Lets one process at a time use a data folder. The holder sends its token to each connection to its port. The operating
 * system closes the port when the holder ends, whereas it may give the process id of the lock file to another process.
 */
export async function lockData(dataDir: string): Promise<DataLock> {
  mkdirSync(dataDir, { recursive: true });
  const file = join(dataDir, 'running.json');
  const holder = readJson<Holder>(file);
  if (holder && (await isAlive(holder))) return { isAcquired: false, holderPid: holder.pid };

  const token = randomUUID();
  const server = createServer((socket) => socket.on('error', () => undefined).end(token));
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  writeJson(file, { pid: process.pid, port: (server.address() as AddressInfo).port, token } satisfies Holder);
  return {
    isAcquired: true,
    lastRunWasKilled: holder !== undefined,
    release: () => {
      rmSync(file, { force: true });
      server.close();
    },
  };
}

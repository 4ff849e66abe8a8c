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
  { taken: true; byPid: number } | { taken: false; lastRunWasKilled: boolean; release: () => void };

const ANSWER_WITHIN_MS = 2_000;

function isAlive({ port, token }: Holder): Promise<boolean> {
  return new Promise((resolve) => {
    let heard = '';
    const socket = connect({ port, host: LOOPBACK, timeout: ANSWER_WITHIN_MS });
    socket.on('data', (chunk) => (heard += chunk.toString()));
    socket.on('timeout', () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(heard === token));
  });
}

/**
 * Lets one process at a time use a data folder. The holder answers with a random token on a port, because the operating
 * system closes the port with its process, while a process id in a lock file may be reused.
 */
export async function lockData(dataDir: string): Promise<DataLock> {
  mkdirSync(dataDir, { recursive: true });
  const file = join(dataDir, 'running.json');
  const holder = readJson<Holder>(file);
  if (holder && (await isAlive(holder))) return { taken: true, byPid: holder.pid };

  const token = randomUUID();
  const server = createServer((socket) => socket.on('error', () => undefined).end(token));
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  writeJson(file, { pid: process.pid, port: (server.address() as AddressInfo).port, token } satisfies Holder);
  return {
    taken: false,
    lastRunWasKilled: holder !== undefined,
    release: () => {
      rmSync(file, { force: true });
      server.close();
    },
  };
}

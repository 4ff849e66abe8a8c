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
  word: string;
}

export type DataLock =
  { taken: true; byPid: number } | { taken: false; lastRunWasKilled: boolean; release: () => void };

const ANSWER_WITHIN_MS = 2_000;

function isAlive({ port, word }: Holder): Promise<boolean> {
  return new Promise((resolve) => {
    let heard = '';
    const socket = connect({ port, host: LOOPBACK, timeout: ANSWER_WITHIN_MS });
    socket.on('data', (chunk) => (heard += chunk.toString()));
    socket.on('timeout', () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(heard === word));
  });
}

/**
 * One run at a time may use a data folder. The holder says its word on a port of its own, because the system
 * closes a port with its process, whereas the process number in a lock file may belong to anybody later.
 */
export async function lockData(dataDir: string): Promise<DataLock> {
  mkdirSync(dataDir, { recursive: true });
  const file = join(dataDir, 'running.json');
  const holder = readJson<Holder>(file);
  if (holder && (await isAlive(holder))) return { taken: true, byPid: holder.pid };

  const word = randomUUID();
  const server = createServer((socket) => socket.on('error', () => undefined).end(word));
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  writeJson(file, { pid: process.pid, port: (server.address() as AddressInfo).port, word } satisfies Holder);
  return {
    taken: false,
    lastRunWasKilled: holder !== undefined,
    release: () => {
      rmSync(file, { force: true });
      server.close();
    },
  };
}

import type { ApiProcess } from '../../harness/api-process.js';
import { eventually } from '../../harness/eventually.js';
import { median } from './load.js';

/** Memory and handles of a process after garbage collection. */
export interface MemoryReading {
  bytes: number;
  rss: number;
  handles: Record<string, number>;
  /** Number of requests sent before the reading. */
  requests: number;
}

const program = (name: string) => `--import=${new URL(`${name}.mjs`, import.meta.url).href}`;

/** Settings of a process that reports its memory. */
export const WATCHED_SETTINGS = { NODE_OPTIONS: program('heap-watch') };
/** Settings of a process that leaks 4 KB per request. */
export const LEAKING_SETTINGS = { NODE_OPTIONS: `${program('heap-watch')} ${program('leak')}` };

export async function readMemory(api: ApiProcess, requests: number): Promise<MemoryReading> {
  const before = lines(api).length;
  api.signal('SIGUSR2');
  await eventually(async () => expect(lines(api).length).toBeGreaterThan(before), 30_000);
  return { ...(JSON.parse(lines(api).at(-1) as string) as Omit<MemoryReading, 'requests'>), requests };
}

function lines(api: ApiProcess): string[] {
  return [...api.output.matchAll(/^holds (.*)$/gm)].map(([, line]) => line as string);
}

// Garbage collection is inexact, and the caches of sessions and statement days fill slowly.
const NOISE_BYTES = 3_000_000;
const BYTES_PER_REQUEST = 250;

export interface Growth {
  bytes: number;
  requests: number;
  allowed: number;
  /** Maximum number of handles per kind in the first and in the last third. */
  handles: Record<string, [early: number, late: number]>;
}

/** Growth from the first to the last third of the readings, by medians. */
export function growth(holdings: readonly MemoryReading[]): Growth {
  const third = Math.floor(holdings.length / 3);
  const [early, late] = [holdings.slice(0, third), holdings.slice(-third)];
  const rise = (of: (one: MemoryReading) => number) => median(late.map(of)) - median(early.map(of));
  const requests = rise((one) => one.requests);
  const kinds = new Set(holdings.flatMap(({ handles }) => Object.keys(handles)));
  const most = (some: MemoryReading[], kind: string) =>
    Math.max(...some.map(({ handles }) => handles[kind] ?? 0));
  return {
    bytes: rise((one) => one.bytes),
    requests,
    allowed: NOISE_BYTES + BYTES_PER_REQUEST * requests,
    handles: Object.fromEntries([...kinds].map((kind) => [kind, [most(early, kind), most(late, kind)]])),
  };
}

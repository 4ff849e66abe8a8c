import type { ApiProcess } from '../../harness/api-process.js';
import { eventually } from '../../harness/eventually.js';
import { median } from './load.js';

/** Memory and handles of a process after garbage collection. */
export interface MemoryReading {
  /** Memory of the heap and of buffers outside it. */
  bytes: number;
  /** Resident set size in bytes. */
  rss: number;
  /** Number of handles by kind. */
  handles: Record<string, number>;
  /** Number of requests that the process had answered. */
  requests: number;
}

const importOption = (name: string) => `--import=${new URL(`${name}.mjs`, import.meta.url).href}`;

/** Settings of a process that prints its memory on SIGUSR2. */
export const WATCHED_SETTINGS = { NODE_OPTIONS: importOption('heap-watch') };
/** Settings of such a process that also leaks 4 KB per request. */
export const LEAKING_SETTINGS = { NODE_OPTIONS: `${importOption('heap-watch')} ${importOption('leak')}` };

export async function readMemory(api: ApiProcess, requests: number): Promise<MemoryReading> {
  const before = memoryLines(api).length;
  api.signal('SIGUSR2');
  await eventually(async () => expect(memoryLines(api).length).toBeGreaterThan(before), 30_000);
  return { ...(JSON.parse(memoryLines(api).at(-1) as string) as Omit<MemoryReading, 'requests'>), requests };
}

/** The readings that heap-watch.mjs has printed. */
function memoryLines(api: ApiProcess): string[] {
  return [...api.output.matchAll(/^memory (.*)$/gm)].map(([, json]) => json as string);
}

// Garbage collection is inexact, and the cache of sessions fills slowly.
const PERMITTED_BYTES = 3_000_000;
const PERMITTED_BYTES_PER_REQUEST = 250;

export interface MemoryGrowth {
  bytes: number;
  requests: number;
  permittedBytes: number;
  /** Maximum number of handles per kind in the first and in the last third. */
  handles: Record<string, [early: number, late: number]>;
}

/** Growth from the first to the last third of the readings, by medians. */
export function memoryGrowth(readings: readonly MemoryReading[]): MemoryGrowth {
  const third = Math.floor(readings.length / 3);
  const early = readings.slice(0, third);
  const late = readings.slice(-third);
  const difference = (field: 'bytes' | 'requests') =>
    median(late.map((reading) => reading[field])) - median(early.map((reading) => reading[field]));
  const requests = difference('requests');
  const kinds = new Set(readings.flatMap(({ handles }) => Object.keys(handles)));
  const maxHandles = (part: MemoryReading[], kind: string) =>
    Math.max(...part.map(({ handles }) => handles[kind] ?? 0));
  return {
    bytes: difference('bytes'),
    requests,
    permittedBytes: PERMITTED_BYTES + PERMITTED_BYTES_PER_REQUEST * requests,
    handles: Object.fromEntries(
      [...kinds].map((kind) => [kind, [maxHandles(early, kind), maxHandles(late, kind)]]),
    ),
  };
}

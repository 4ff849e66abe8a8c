import type { ApiProcess } from '../../harness/api-process.js';
import { eventually } from '../../harness/eventually.js';
import { median } from './load.js';

/** What a watched process holds after its garbage was collected. */
export interface Holding {
  bytes: number;
  rss: number;
  handles: Record<string, number>;
  /** Requests that it had been sent by then. */
  requests: number;
}

const program = (name: string) => `--import=${new URL(`${name}.mjs`, import.meta.url).href}`;

/** Settings of a process that can be watched. */
export const WATCHED = { NODE_OPTIONS: program('heap-watch') };
/** And of one that keeps four kilobytes of every request. */
export const LEAKING = { NODE_OPTIONS: `${program('heap-watch')} ${program('leak')}` };

export async function holding(api: ApiProcess, requests: number): Promise<Holding> {
  const before = lines(api).length;
  api.signal('SIGUSR2');
  await eventually(async () => expect(lines(api).length).toBeGreaterThan(before), 30_000);
  return { ...(JSON.parse(lines(api).at(-1) as string) as Omit<Holding, 'requests'>), requests };
}

function lines(api: ApiProcess): string[] {
  return [...api.output.matchAll(/^holds (.*)$/gm)].map(([, line]) => line as string);
}

// Garbage collection is not exact, and a few caches fill slowly: sessions, the days of statements.
const NOISE_BYTES = 3_000_000;
const BYTES_PER_REQUEST = 250;

export interface Growth {
  bytes: number;
  requests: number;
  allowed: number;
  /** The most handles of a kind in the last third beside the most in the first. */
  handles: Record<string, [early: number, late: number]>;
}

/** From the first third of the holdings to the last: medians, since one look may come at a bad moment. */
export function growth(holdings: readonly Holding[]): Growth {
  const third = Math.floor(holdings.length / 3);
  const [early, late] = [holdings.slice(0, third), holdings.slice(-third)];
  const rise = (of: (one: Holding) => number) => median(late.map(of)) - median(early.map(of));
  const requests = rise((one) => one.requests);
  const kinds = new Set(holdings.flatMap(({ handles }) => Object.keys(handles)));
  const most = (some: Holding[], kind: string) => Math.max(...some.map(({ handles }) => handles[kind] ?? 0));
  return {
    bytes: rise((one) => one.bytes),
    requests,
    allowed: NOISE_BYTES + BYTES_PER_REQUEST * requests,
    handles: Object.fromEntries([...kinds].map((kind) => [kind, [most(early, kind), most(late, kind)]])),
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { PRIMARY_FAULTS, type PrimaryFault } from '../../harness/failover-cluster.js';
import type { SeededRandom } from '../../harness/seeded-random.js';
import { readMemory, type MemoryReading } from '../load/memory-growth.js';
import { LOAD_SETTINGS } from '../mixed-load/environment.js';
import { shuffled } from '../mixed-load/faults.js';
import { runLoad, type Injection, type Load, type Outcome } from '../mixed-load/mixed-load.js';
import { FailoverEnvironment } from './failover-environment.js';
import { LiveDelivery, SeenCheckpoints, SeenRecords } from './observers.js';

/** The time between the fault and the fencing of the server. */
const MAX_DETECTION_MS = 2500;
const FAULTS_PER_PROGRESS_LINE = 10;
/** The sessions outside of the pool: for notifications, for events and for the probe, and one of each that is being replaced. */
const OTHER_SESSIONS = 2 * 3;

export interface FailoverOutcome extends Outcome {
  /** How many records, withdrawals in the state `processing`, checkpoints and live events were seen. */
  readonly seen: { records: number; processing: number; checkpoints: number; events: number };
  /** The sessions of the API process at the primary before the first and after the last fault, and their permitted number. */
  readonly sessions: { before: number; after: number; permitted: number };
  readonly memory: readonly MemoryReading[];
}

export interface SwitchoverOutcome extends Outcome {
  /** The times from the begin of the shutdown of the primary to the next acknowledged write. */
  readonly withoutServiceMs: readonly number[];
}

/** `count` faults in random order, each kind equally often. */
export function selectPrimaryFaults(count: number, random: SeededRandom): PrimaryFault[] {
  const chosen: PrimaryFault[] = [];
  while (chosen.length < count) chosen.push(...shuffled(PRIMARY_FAULTS, random));
  return chosen.slice(0, count);
}

/**
 * Breaks the primary under load, fences it, promotes the standby with the most log, and replaces the lost server by a standby, for
 * each fault. `recoveryMs` of the outcome is the time from a promotion to the next acknowledged write.
 */
export async function runFailovers(
  faults: readonly PrimaryFault[],
  random: SeededRandom,
  load: Load,
): Promise<FailoverOutcome> {
  const environment = await FailoverEnvironment.start();
  const { cluster, api } = environment;
  const memory: MemoryReading[] = [];
  const beganAt = performance.now();
  let acknowledgedWrites = () => 0;
  let before = 0;
  let after = 0;
  const injections = faults.map((fault, index): Injection => async (ownRandom) => {
    if (index === 0) before = await environment.countSessions();
    await cluster.rebuild();
    if (index % FAULTS_PER_PROGRESS_LINE === 0) {
      memory.push(await readMemory(api, acknowledgedWrites()));
      process.stderr.write(
        `  ${index} of ${faults.length} faults, ${acknowledgedWrites()} writes acknowledged, ${((performance.now() - beganAt) / 1000).toFixed(0)} s\n`,
      );
    }
    await cluster.breakPrimary(fault);
    await sleep(ownRandom.integer(0, MAX_DETECTION_MS));
    await cluster.fencePrimary();
    await cluster.promoteStandby();
  });
  const seen = { records: 0, processing: 0, checkpoints: 0, events: 0 };
  const outcome = await runLoad(environment, injections, random, load, (observed) => {
    acknowledgedWrites = () => observed.client.counts.answered;
    const records = new SeenRecords(observed, random.fork());
    const checkpoints = new SeenCheckpoints(observed);
    const live = new LiveDelivery(observed, api.url);
    // Does not act: its figures are taken at the end, before the environment stops.
    const lastFigures = {
      act: () => Promise.resolve(),
      findDifferences: async () => {
        Object.assign(seen, records.counts, { checkpoints: checkpoints.count, events: live.count });
        after = await environment.countSessions();
        memory.push(await readMemory(api, acknowledgedWrites()));
        return [];
      },
    };
    return [records, checkpoints, live, lastFigures];
  });
  const permitted = Number(LOAD_SETTINGS.DATABASE_POOL_SIZE) + OTHER_SESSIONS;
  return { ...outcome, seen, sessions: { before, after, permitted }, memory };
}

/** The median and the longest of the times from a promotion to the next acknowledged write, as a figure of a guarantee. */
export function firstWrites(recoveryMs: readonly number[]): {
  median: number;
  longest: number;
  text: string;
} {
  const sorted = [...recoveryMs].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Infinity;
  const longest = sorted.at(-1) ?? Infinity;
  const text = `first write after a promotion: median ${Math.round(median)} ms, longest ${Math.round(longest)} ms`;
  return { median, longest, text };
}

/** Switches over to a standby under load, `count` times. The former primary then follows it. */
export async function runSwitchovers(
  count: number,
  random: SeededRandom,
  load: Load,
): Promise<SwitchoverOutcome> {
  const environment = await FailoverEnvironment.start();
  const { cluster, api } = environment;
  const switchMs: number[] = [];
  const switchOver: Injection = async () => {
    await cluster.rebuild();
    const began = performance.now();
    await cluster.switchOver();
    switchMs.push(performance.now() - began);
  };
  const injections = Array.from({ length: count }, () => switchOver);
  const outcome = await runLoad(environment, injections, random, load, (observed) => [
    new SeenRecords(observed, random.fork()),
    new SeenCheckpoints(observed),
    new LiveDelivery(observed, api.url),
  ]);
  const withoutServiceMs = outcome.recoveryMs.map((ms, index) => (switchMs[index] as number) + ms);
  return { ...outcome, withoutServiceMs };
}

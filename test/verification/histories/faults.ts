import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultMode, Party } from '../../../src/sandbox/faults.js';
import type { SeededRandom } from '../../harness/seeded-random.js';
import type { Replica, World } from './world.js';

/** Strikes, lasts as long as it lasts, and is over when it resolves. */
type Fault = (world: World, random: SeededRandom) => Promise<void>;

const HOURS_IN_A_DAY = 24;

const either = (world: World, random: SeededRandom): Replica => world.replicas[random.integer(0, 1) as 0 | 1];

async function restart(replicas: readonly Replica[], pauseMs: number): Promise<void> {
  await Promise.all(replicas.map(({ api }) => api.kill()));
  await sleep(pauseMs);
  for (const { api } of replicas) api.start();
  await Promise.all(replicas.map(({ api }) => api.waitUntilReady()));
}

/** Cuts what is connected after a while in which the door is bad, and lets new connections in. */
async function badDoor(
  { door }: Replica,
  random: SeededRandom,
  what: 'answers' | 'everything' | 'shut',
): Promise<void> {
  if (what === 'shut') await door.close();
  else door.stall(what);
  await sleep(random.integer(100, 1500));
  if (what !== 'shut') await door.close();
  await door.open();
}

async function everyBackend(world: World, verb: 'terminate' | 'cancel', share: number): Promise<void> {
  await world.query(
    `select pg_${verb}_backend(pid) from pg_stat_activity
      where application_name like 'stablecoin-platform%' and random() < $1`,
    [share],
  );
}

/** Of a provider: for some answers or callbacks, while other faults strike. */
const provider =
  (party: Party, ...modes: FaultMode[]): Fault =>
  async ({ outside }, random) => {
    await outside.providers.endFault(party);
    outside.providers.faults.set(party, random.oneOf(modes), random.integer(2, 8));
    await sleep(random.integer(100, 800));
  };

export const FAULTS = {
  'one API process killed': (world, random) => restart([either(world, random)], random.integer(0, 500)),
  'both API processes killed': (world, random) => restart(world.replicas, random.integer(0, 500)),
  'an API process ended in order': async (world, random) => {
    const { api } = either(world, random);
    await api.terminate();
    api.start();
    await api.waitUntilReady();
  },
  'an API process frozen': async (world, random) => {
    const { api } = either(world, random);
    api.freeze();
    await sleep(random.integer(200, 3000));
    api.thaw();
  },
  'PostgreSQL restarted': (world, random) => world.restartDatabase('SIGINT', random.integer(0, 500)),
  'PostgreSQL stopped at once': (world, random) => world.restartDatabase('SIGQUIT', random.integer(0, 500)),
  'PostgreSQL killed': (world, random) => world.restartDatabase('SIGKILL', random.integer(0, 500)),
  'backends terminated': (world, random) => everyBackend(world, 'terminate', random.oneOf([0.5, 1])),
  'statements cancelled': async (world, random) => {
    for (let left = random.integer(3, 15); left > 0; left--) {
      await everyBackend(world, 'cancel', 1);
      await sleep(random.integer(0, 30));
    }
  },
  'connections cut': async (world, random) => {
    const { door } = either(world, random);
    await door.close();
    await door.open();
  },
  'no way to the database': (world, random) => badDoor(either(world, random), random, 'shut'),
  'connections swallowed': (world, random) => badDoor(either(world, random), random, 'everything'),
  'answers of the database swallowed': (world, random) => badDoor(either(world, random), random, 'answers'),
  'answers to commits lost': async ({ replicas }, random) => {
    for (const { door } of replicas) door.commitAnswersToDrop = random.integer(3, 8);
    await sleep(random.integer(500, 1500));
    for (const { door } of replicas) door.commitAnswersToDrop = 0;
  },
  'a slow network': async (world, random) => {
    const { door } = either(world, random);
    door.delayMs = random.integer(20, 250);
    await sleep(random.integer(300, 1500));
    door.delayMs = 0;
  },
  'the chain away': provider('chain', 'timeout', 'error', 'drop'),
  'the deposit provider away': provider('deposit', 'timeout', 'error'),
  'callbacks of deposits spoiled': provider('deposit', 'duplicate', 'reorder', 'drop'),
  'callbacks of custody spoiled': provider('custody', 'duplicate', 'reorder', 'error', 'drop'),
  'the identity provider away': provider('identity', 'timeout', 'error', 'drop'),
  'hours later': async ({ outside }) => {
    outside.providers.clock.advance(4 / HOURS_IN_A_DAY); // six of them roll a day
  },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

/** So many, each kind as often as the others, in an order that the dice decide. */
export function someFaults(count: number, random: SeededRandom): FaultName[] {
  const all = Object.keys(FAULTS) as FaultName[];
  const chosen: FaultName[] = [];
  while (chosen.length < count) chosen.push(...shuffled(all, random));
  return chosen.slice(0, count);
}

export function shuffled<T>(cards: readonly T[], random: SeededRandom): T[] {
  const left = [...cards];
  return cards.map(() => left.splice(random.integer(0, left.length - 1), 1)[0] as T);
}

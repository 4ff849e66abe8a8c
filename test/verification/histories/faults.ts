import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultMode, Party } from '../../../src/sandbox/faults.js';
import type { Dice } from '../../harness/seeded-random.js';
import type { Replica, World } from './world.js';

/** Strikes, lasts as long as it lasts, and is over when it resolves. */
type Fault = (world: World, dice: Dice) => Promise<void>;

const HOURS_IN_A_DAY = 24;

const either = (world: World, dice: Dice): Replica => world.replicas[dice.between(0, 1) as 0 | 1];

async function restart(replicas: readonly Replica[], pauseMs: number): Promise<void> {
  await Promise.all(replicas.map(({ api }) => api.kill()));
  await sleep(pauseMs);
  for (const { api } of replicas) api.start();
  await Promise.all(replicas.map(({ api }) => api.ready()));
}

/** Cuts what is connected after a while in which the door is bad, and lets new connections in. */
async function badDoor(
  { door }: Replica,
  dice: Dice,
  what: 'answers' | 'everything' | 'shut',
): Promise<void> {
  if (what === 'shut') await door.shut();
  else door.stall(what);
  await sleep(dice.between(100, 1500));
  if (what !== 'shut') await door.shut();
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
  async ({ outside }, dice) => {
    await outside.providers.endFault(party);
    outside.providers.faults.set(party, dice.oneOf(modes), dice.between(2, 8));
    await sleep(dice.between(100, 800));
  };

export const FAULTS = {
  'one API process killed': (world, dice) => restart([either(world, dice)], dice.between(0, 500)),
  'both API processes killed': (world, dice) => restart(world.replicas, dice.between(0, 500)),
  'an API process ended in order': async (world, dice) => {
    const { api } = either(world, dice);
    await api.terminate();
    api.start();
    await api.ready();
  },
  'an API process frozen': async (world, dice) => {
    const { api } = either(world, dice);
    api.freeze();
    await sleep(dice.between(200, 3000));
    api.thaw();
  },
  'PostgreSQL restarted': (world, dice) => world.restartDatabase('SIGINT', dice.between(0, 500)),
  'PostgreSQL stopped at once': (world, dice) => world.restartDatabase('SIGQUIT', dice.between(0, 500)),
  'PostgreSQL killed': (world, dice) => world.restartDatabase('SIGKILL', dice.between(0, 500)),
  'backends terminated': (world, dice) => everyBackend(world, 'terminate', dice.oneOf([0.5, 1])),
  'statements cancelled': async (world, dice) => {
    for (let left = dice.between(3, 15); left > 0; left--) {
      await everyBackend(world, 'cancel', 1);
      await sleep(dice.between(0, 30));
    }
  },
  'connections cut': async (world, dice) => {
    const { door } = either(world, dice);
    await door.shut();
    await door.open();
  },
  'no way to the database': (world, dice) => badDoor(either(world, dice), dice, 'shut'),
  'connections swallowed': (world, dice) => badDoor(either(world, dice), dice, 'everything'),
  'answers of the database swallowed': (world, dice) => badDoor(either(world, dice), dice, 'answers'),
  'answers to commits lost': async ({ replicas }, dice) => {
    for (const { door } of replicas) door.commitsToLose = dice.between(3, 8);
    await sleep(dice.between(500, 1500));
    for (const { door } of replicas) door.commitsToLose = 0;
  },
  'a slow network': async (world, dice) => {
    const { door } = either(world, dice);
    door.delayMs = dice.between(20, 250);
    await sleep(dice.between(300, 1500));
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
export function someFaults(count: number, dice: Dice): FaultName[] {
  const all = Object.keys(FAULTS) as FaultName[];
  const chosen: FaultName[] = [];
  while (chosen.length < count) chosen.push(...shuffled(all, dice));
  return chosen.slice(0, count);
}

export function shuffled<T>(cards: readonly T[], dice: Dice): T[] {
  const left = [...cards];
  return cards.map(() => left.splice(dice.between(0, left.length - 1), 1)[0] as T);
}

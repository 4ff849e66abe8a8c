import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultMode, Party } from '../../../src/sandbox/faults.js';
import type { SeededRandom } from '../../harness/seeded-random.js';
import { queryDirectly, type FaultEnvironment, type Replica } from './environment.js';

/** Injects a fault; resolves when the fault is over. */
type Fault = (environment: FaultEnvironment, random: SeededRandom) => Promise<void>;

const HOURS_IN_A_DAY = 24;

const randomReplica = (environment: FaultEnvironment, random: SeededRandom): Replica =>
  environment.replicas[random.integer(0, 1) as 0 | 1];

async function restart(replicas: readonly Replica[], pauseMs: number): Promise<void> {
  await Promise.all(replicas.map(({ api }) => api.kill()));
  await sleep(pauseMs);
  for (const { api } of replicas) api.start();
  await Promise.all(replicas.map(({ api }) => api.waitUntilReady()));
}

/** Makes a proxy drop data or refuse connections for a while, then closes all connections and accepts new ones. */
async function degradeConnection(
  { proxy }: Replica,
  random: SeededRandom,
  mode: 'answers' | 'everything' | 'shut',
): Promise<void> {
  if (mode === 'shut') await proxy.close();
  else proxy.stall(mode);
  await sleep(random.integer(100, 1500));
  if (mode !== 'shut') await proxy.close();
  await proxy.open();
}

async function signalBackends(
  environment: FaultEnvironment,
  action: 'terminate' | 'cancel',
  share: number,
): Promise<void> {
  await queryDirectly(
    environment,
    `select pg_${action}_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'stablecoin-platform%' and random() < $1`,
    [share],
  );
}

/** Makes a provider fail for some responses or callbacks. This fault may overlap the next ones. */
const providerFault =
  (party: Party, ...modes: FaultMode[]): Fault =>
  async ({ outside }, random) => {
    await outside.providers.endFault(party);
    outside.providers.faults.set(party, random.oneOf(modes), random.integer(2, 8));
    await sleep(random.integer(100, 800));
  };

export const FAULTS = {
  'one API process killed': (environment, random) =>
    restart([randomReplica(environment, random)], random.integer(0, 500)),
  'both API processes killed': (environment, random) => restart(environment.replicas, random.integer(0, 500)),
  'an API process terminated': async (environment, random) => {
    const { api } = randomReplica(environment, random);
    await api.terminate();
    api.start();
    await api.waitUntilReady();
  },
  'an API process suspended': async (environment, random) => {
    const { api } = randomReplica(environment, random);
    api.freeze();
    await sleep(random.integer(200, 3000));
    api.thaw();
  },
  'PostgreSQL restarted': (environment, random) =>
    environment.restartDatabase('SIGINT', random.integer(0, 500)),
  'PostgreSQL stopped immediately': (environment, random) =>
    environment.restartDatabase('SIGQUIT', random.integer(0, 500)),
  'PostgreSQL killed': (environment, random) =>
    environment.restartDatabase('SIGKILL', random.integer(0, 500)),
  'backends terminated': (environment, random) =>
    signalBackends(environment, 'terminate', random.oneOf([0.5, 1])),
  'statements cancelled': async (environment, random) => {
    for (let count = random.integer(3, 15); count > 0; count--) {
      await signalBackends(environment, 'cancel', 1);
      await sleep(random.integer(0, 30));
    }
  },
  'connections cut': async (environment, random) => {
    const { proxy } = randomReplica(environment, random);
    await proxy.close();
    await proxy.open();
  },
  'database unreachable': (environment, random) =>
    degradeConnection(randomReplica(environment, random), random, 'shut'),
  'database packets dropped': (environment, random) =>
    degradeConnection(randomReplica(environment, random), random, 'everything'),
  'database responses dropped': (environment, random) =>
    degradeConnection(randomReplica(environment, random), random, 'answers'),
  'responses to COMMIT lost': async ({ replicas }, random) => {
    for (const { proxy } of replicas) proxy.commitAnswersToDrop = random.integer(3, 8);
    await sleep(random.integer(500, 1500));
    for (const { proxy } of replicas) proxy.commitAnswersToDrop = 0;
  },
  'slow network': async (environment, random) => {
    const { proxy } = randomReplica(environment, random);
    proxy.delayMs = random.integer(20, 250);
    await sleep(random.integer(300, 1500));
    proxy.delayMs = 0;
  },
  'chain unavailable': providerFault('chain', 'timeout', 'error', 'drop'),
  'deposit provider unavailable': providerFault('deposit', 'timeout', 'error'),
  'deposit callbacks faulty': providerFault('deposit', 'duplicate', 'reorder', 'drop'),
  'custody callbacks faulty': providerFault('custody', 'duplicate', 'reorder', 'error', 'drop'),
  'identity provider unavailable': providerFault('identity', 'timeout', 'error', 'drop'),
  'clock advanced': async ({ outside }) => {
    outside.providers.clock.advanceDays(4 / HOURS_IN_A_DAY); // six of these faults advance the clock by a day
  },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

/** `count` faults in random order, each kind equally often. */
export function selectFaults(count: number, random: SeededRandom): FaultName[] {
  const names = Object.keys(FAULTS) as FaultName[];
  const chosen: FaultName[] = [];
  while (chosen.length < count) chosen.push(...shuffled(names, random));
  return chosen.slice(0, count);
}

export function shuffled<T>(items: readonly T[], random: SeededRandom): T[] {
  const remaining = [...items];
  return items.map(() => remaining.splice(random.integer(0, remaining.length - 1), 1)[0] as T);
}

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { violatedInvariants } from '../../fixtures/ledger-fixtures.js';
import { OpenApiContract } from '../../harness/contract.js';
import { SeededRandom } from '../../harness/seeded-random.js';
import { RetryingClient, type RequestCounts } from './client.js';
import { FAULTS, type FaultName } from './faults.js';
import { makeRetriesDue, readApiState, auditDifferences, unfinishedWork } from './api-state.js';
import { OperatorActor } from './operators.js';
import { UserActor, signIn, type OpenTasks } from './users.js';
import { differences } from './comparison.js';
import { FaultEnvironment, type LoadEnvironment } from './environment.js';

const ADMINS = ['admin@example.com', 'admin2@example.com'] as const;
const MAX_PAUSE_MS = 60; // between two requests of an actor
const STALLED_MS = 120_000; // long, because the machine may be busy
export const MIN_WRITES_BETWEEN_FAULTS = 10;
const POLL_INTERVAL_MS = 20;
const SETTLE_POLL_INTERVAL_MS = 100;
const POLLS_PER_RETRY = 50; // retries are made due every 5 seconds: 50 × 100 ms

export interface Outcome {
  counts: RequestCounts;
  /** Inconsistent responses. */
  inconsistencies: string[];
  /** Writes that were lost, carried out twice, or differ from their responses. */
  differences: string[];
  /** Time from the end of each fault to the next acknowledged write. */
  recoveryMs: number[];
  /** The last output of the API processes. */
  output: string;
}

export interface Load {
  users: number;
  operators: number;
  minWritesBetweenFaults?: number;
}

/** Injects a fault; resolves when the fault is over. */
export type Injection = (random: SeededRandom) => Promise<void>;

/** Reads beside the load, and compares at the end what it has read with the state. */
export interface Observer {
  act(): Promise<void>;
  findDifferences(dataSource: DataSource): Promise<string[]>;
}

export interface Observed {
  readonly client: RetryingClient;
  readonly users: readonly UserActor[];
  readonly adminToken: string;
}

/** Users and operators send random requests while faults are injected in turn; then the API is compared with the responses. */
export async function mixedLoad(faults: FaultName[], random: SeededRandom, load: Load): Promise<Outcome> {
  const environment = await FaultEnvironment.start();
  const injections = faults.map((name) => async (ownRandom: SeededRandom) => {
    environment.sendCallbacksTo(ownRandom.integer(0, 1) as 0 | 1);
    await FAULTS[name](environment, ownRandom);
  });
  return runLoad(environment, injections, random, load);
}

/** Runs the load of `mixedLoad` in the given environment, and stops the environment at the end. */
export async function runLoad(
  environment: LoadEnvironment,
  injections: readonly Injection[],
  random: SeededRandom,
  load: Load,
  observe: (observed: Observed) => Observer[] = () => [],
): Promise<Outcome> {
  try {
    return await new MixedLoadRun(environment, random, load, observe).run(injections);
  } catch (error) {
    throw new Error(`the run failed; output of the API:\n${environment.output()}`, { cause: error });
  } finally {
    await environment.stop();
  }
}

class MixedLoadRun {
  private readonly client: RetryingClient;
  private readonly openTasks: OpenTasks = { withdrawals: [], investments: [] };
  private readonly adminActions = new Map<string, number>();
  private users: UserActor[] = [];
  private observers: Observer[] = [];
  private isOver = false;

  constructor(
    private readonly environment: LoadEnvironment,
    private readonly random: SeededRandom,
    private readonly load: Load,
    private readonly observe: (observed: Observed) => Observer[],
  ) {
    const contract = new OpenApiContract(JSON.parse(readFileSync('docs/openapi.json', 'utf8')));
    this.client = new RetryingClient(environment.urls, contract, random.fork());
  }

  async run(injections: readonly Injection[]): Promise<Outcome> {
    const { client, environment, random, load } = this;
    const { outside } = environment;
    for (let n = 0; n < load.users; n++)
      this.users.push(
        await UserActor.create(`user-${n}@example.org`, client, outside, this.openTasks, random.fork()),
      );
    const tokens: string[] = [];
    for (const email of ADMINS) tokens.push((await signIn(client, outside, email)).token);
    const [firstToken, secondToken] = tokens as [string, string];
    const operators = Array.from({ length: load.operators }, (_, n) => {
      const [token, approverToken] = n % 2 ? [secondToken, firstToken] : [firstToken, secondToken];
      return new OperatorActor(
        token,
        approverToken,
        client,
        outside,
        this.openTasks,
        this.adminActions,
        this.users,
        random.fork(),
      );
    });
    this.observers = this.observe({ client, users: this.users, adminToken: firstToken });
    const actors = [...this.users, ...operators, ...this.observers];
    const working = Promise.all(actors.map((actor) => this.keepActing(actor)));
    // `working` ends first only if an actor has failed.
    const recoveryMs = await Promise.race([this.injectFaults(injections), working.then(() => [])]);
    this.isOver = true;
    await environment.waitUntilHealthy();
    await working;
    return {
      counts: client.counts,
      recoveryMs,
      differences: await this.compare(firstToken),
      inconsistencies: client.inconsistencies,
      output: environment.output(),
    };
  }

  private async keepActing(actor: { act(): Promise<void> }): Promise<void> {
    const random = this.random.fork();
    try {
      while (!this.isOver) {
        await actor.act();
        await sleep(random.integer(0, MAX_PAUSE_MS));
      }
    } finally {
      this.isOver = true; // an error ends all actors
    }
  }

  private async injectFaults(injections: readonly Injection[]): Promise<number[]> {
    const random = this.random.fork();
    const recoveryMs: number[] = [];
    for (const inject of injections) {
      if (this.isOver) break;
      await this.waitForWrites(this.load.minWritesBetweenFaults ?? MIN_WRITES_BETWEEN_FAULTS);
      await sleep(random.integer(100, 900));
      await inject(random);
      recoveryMs.push(await this.msUntilNextWrite());
    }
    return recoveryMs;
  }

  /** Waits for `count` further acknowledged writes, so that faults hit running requests. */
  private async waitForWrites(count: number): Promise<void> {
    const { counts } = this.client;
    const target = counts.answered + count;
    while (counts.answered < target && !this.isOver) await sleep(POLL_INTERVAL_MS);
  }

  private async msUntilNextWrite(): Promise<number> {
    const began = performance.now();
    while (this.client.lastSuccessAt < began && !this.isOver) await sleep(POLL_INTERVAL_MS);
    return performance.now() - began;
  }

  /** Waits until all work is finished, then compares all records with the expected ones and checks the invariants. */
  private async compare(adminToken: string): Promise<string[]> {
    const { environment, client } = this;
    await this.waitUntilSettled();
    const all: string[] = [];
    for (const user of this.users)
      all.push(...differences(user.expected, await readApiState(client, user, adminToken)));
    all.push(...(await auditDifferences(environment, this.adminActions)));
    const path = '/api/admin/integrity';
    const { data } = await client.read({ token: adminToken, method: 'GET', path });
    // Severity `warning` is permitted: custody may have paid before an operator enters the transfer of money to custody.
    const violated = data.laws.filter(
      ({ status, severity }: { status: string; severity: string }) =>
        status === 'broken' && severity === 'owed',
    );
    all.push(...violated.map((invariant: object) => `integrity: ${JSON.stringify(invariant)}`));
    const dataSource = await new DataSource({ type: 'postgres', url: environment.databaseUrl }).initialize();
    all.push(
      ...(await violatedInvariants(dataSource)).map(
        (violation) => `the ledger: ${JSON.stringify(violation)}`,
      ),
    );
    for (const observer of this.observers) all.push(...(await observer.findDifferences(dataSource)));
    await dataSource.destroy();
    return all;
  }

  private async waitUntilSettled(): Promise<void> {
    const payments = this.users.flatMap(({ expected }) => [...expected.deposits.keys()]);
    let least = Infinity;
    let changedAt = performance.now();
    for (let polls = 0; ; polls++) {
      const unfinished = await unfinishedWork(this.environment, payments);
      if (unfinished.length === 0) return;
      if (unfinished.length < least) {
        least = unfinished.length;
        changedAt = performance.now();
      }
      if (performance.now() - changedAt > STALLED_MS)
        throw new Error(`nothing more finished in ${STALLED_MS} ms: ${unfinished.join(', ')}`);
      if (polls % POLLS_PER_RETRY === 0) await makeRetriesDue(this.environment);
      await sleep(SETTLE_POLL_INTERVAL_MS);
    }
  }
}

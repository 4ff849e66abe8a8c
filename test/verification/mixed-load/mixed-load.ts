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
import { FaultEnvironment } from './environment.js';

const ADMINS = ['admin@example.com', 'admin2@example.com'] as const;
const MAX_PAUSE_MS = 60; // between two requests of an actor
const SETTLE_TIMEOUT_MS = 240_000;
export const MIN_WRITES_BETWEEN_FAULTS = 10;
const POLL_INTERVAL_MS = 20;
const SETTLE_POLL_INTERVAL_MS = 100;
const POLLS_PER_RETRY = 50; // retries are made due every 5 seconds: 50 × 100 ms

export interface Outcome {
  faults: FaultName[];
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

interface Load {
  users: number;
  operators: number;
}

/** Users and operators send random requests while faults are injected in turn; then the API is compared with the responses. */
export async function mixedLoad(faults: FaultName[], random: SeededRandom, load: Load): Promise<Outcome> {
  const environment = await FaultEnvironment.start();
  try {
    return await new MixedLoadRun(environment, random).run(faults, load);
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
  private isOver = false;

  constructor(
    private readonly environment: FaultEnvironment,
    private readonly random: SeededRandom,
  ) {
    const contract = new OpenApiContract(JSON.parse(readFileSync('docs/openapi.json', 'utf8')));
    const urls = environment.replicas.map(({ api }) => api.url);
    this.client = new RetryingClient(urls, contract, random.fork());
  }

  async run(faults: FaultName[], load: Load): Promise<Outcome> {
    const { client, environment, random } = this;
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
    const working = Promise.all([...this.users, ...operators].map((actor) => this.keepActing(actor)));
    // `working` ends first only if an actor has failed.
    const recoveryMs = await Promise.race([this.injectFaults(faults), working.then(() => [])]);
    this.isOver = true;
    await environment.waitUntilHealthy();
    await working;
    return {
      faults,
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

  private async injectFaults(faults: FaultName[]): Promise<number[]> {
    const random = this.random.fork();
    const recoveryMs: number[] = [];
    for (const name of faults) {
      if (this.isOver) break;
      await this.waitForWrites(MIN_WRITES_BETWEEN_FAULTS);
      await sleep(random.integer(100, 900));
      this.environment.sendCallbacksTo(random.integer(0, 1) as 0 | 1);
      await FAULTS[name](this.environment, random);
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
    await dataSource.destroy();
    return all;
  }

  private async waitUntilSettled(): Promise<void> {
    const deadline = performance.now() + SETTLE_TIMEOUT_MS;
    const payments = this.users.flatMap(({ expected }) => [...expected.deposits.keys()]);
    for (let polls = 0; ; polls++) {
      const unfinished = await unfinishedWork(this.environment, payments);
      if (unfinished.length === 0) return;
      if (performance.now() > deadline)
        throw new Error(`not finished in ${SETTLE_TIMEOUT_MS} ms: ${unfinished.join(', ')}`);
      if (polls % POLLS_PER_RETRY === 0) await makeRetriesDue(this.environment);
      await sleep(SETTLE_POLL_INTERVAL_MS);
    }
  }
}

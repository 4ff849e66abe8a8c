import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { ledgerViolations } from '../../fixtures/ledger-fixtures.js';
import { OpenApiContract } from '../../harness/contract.js';
import { SeededRandom } from '../../harness/seeded-random.js';
import { Client, type Tally } from './client.js';
import type { Desk } from './desk.js';
import { FAULTS, type FaultName } from './faults.js';
import { aWhileLater, found, misrecorded, unsettled } from './findings.js';
import { LoadedOperator } from './operators.js';
import { LoadedUser, signIn } from './users.js';
import { differences } from './verdict.js';
import { World } from './world.js';

const ADMINS = ['admin@example.com', 'admin2@example.com'] as const;
const PAUSE_MS = 60;
const SETTLED_WITHIN_MS = 240_000;
/** Writes that are answered from one fault to the next, at the least. */
export const ANSWERS_BETWEEN = 10;
const NOTICED_MS = 20;
const LOOKS_A_WHILE = 50;

export interface Outcome {
  faults: FaultName[];
  tally: Tally;
  /** What no client should have seen. */
  surprises: string[];
  /** What was lost, done twice, or is not as it was answered. */
  faulty: string[];
  /** Milliseconds from the end of each fault to the first write that was answered after it. */
  recoveryMs: number[];
  /** The API's own words. */
  output: string;
}

interface Load {
  users: number;
  operators: number;
}

/** Users and operators do this and that while the faults strike, one after the other; then everything is compared. */
export async function mixedLoad(faults: FaultName[], random: SeededRandom, load: Load): Promise<Outcome> {
  const world = await World.start();
  try {
    return await new MixedLoad(world, random).run(faults, load);
  } catch (error) {
    throw new Error(`the run broke off; the API said:\n${world.output()}`, { cause: error });
  } finally {
    await world.stop();
  }
}

class MixedLoad {
  private readonly client: Client;
  private readonly desk: Desk = { withdrawals: [], investments: [] };
  private readonly deeds = new Map<string, number>();
  private users: LoadedUser[] = [];
  private isOver = false;

  constructor(
    private readonly world: World,
    private readonly random: SeededRandom,
  ) {
    const contract = new OpenApiContract(JSON.parse(readFileSync('docs/openapi.json', 'utf8')));
    const urls = world.replicas.map(({ api }) => api.url);
    this.client = new Client(urls, contract, random.fork());
  }

  async run(faults: FaultName[], load: Load): Promise<Outcome> {
    const { client, world, random } = this;
    const { outside } = world;
    for (let n = 0; n < load.users; n++)
      this.users.push(
        await LoadedUser.begin(`user-${n}@example.org`, client, outside, this.desk, random.fork()),
      );
    const tokens: string[] = [];
    for (const email of ADMINS) tokens.push((await signIn(client, outside, email)).token);
    const [one, two] = tokens as [string, string];
    const operators = Array.from({ length: load.operators }, (_, n) => {
      const [by, other] = n % 2 ? [two, one] : [one, two];
      return new LoadedOperator(by, other, client, outside, this.desk, this.deeds, this.users, random.fork());
    });
    const working = Promise.all([...this.users, ...operators].map((actor) => this.keepActing(actor)));
    const recoveryMs = await Promise.race([this.strike(faults), working.then(() => [])]);
    this.isOver = true;
    await world.calm();
    await working;
    return {
      faults,
      tally: client.tally,
      recoveryMs,
      faulty: await this.compare(one),
      surprises: client.surprises,
      output: world.output(),
    };
  }

  private async keepActing(actor: { act(): Promise<void> }): Promise<void> {
    const random = this.random.fork();
    try {
      while (!this.isOver) {
        await actor.act();
        await sleep(random.integer(0, PAUSE_MS));
      }
    } finally {
      this.isOver = true; // one that breaks off ends the others
    }
  }

  private async strike(faults: FaultName[]): Promise<number[]> {
    const random = this.random.fork();
    const recoveryMs: number[] = [];
    for (const name of faults) {
      if (this.isOver) break;
      await this.answers(ANSWERS_BETWEEN);
      await sleep(random.integer(100, 900));
      this.world.sendCallbacksTo(random.integer(0, 1) as 0 | 1);
      await FAULTS[name](this.world, random);
      recoveryMs.push(await this.nextSuccess());
    }
    return recoveryMs;
  }

  /** So many writes more are answered: there is work under way to break into. */
  private async answers(count: number): Promise<void> {
    const { tally } = this.client;
    const enough = tally.answered + count;
    while (tally.answered < enough && !this.isOver) await sleep(NOTICED_MS);
  }

  private async nextSuccess(): Promise<number> {
    const began = performance.now();
    while (this.client.lastSuccess < began && !this.isOver) await sleep(NOTICED_MS);
    return performance.now() - began;
  }

  /** Everything that was answered, once everything is done; and whether all money keeps its laws. */
  private async compare(adminToken: string): Promise<string[]> {
    const { world, client } = this;
    await this.settled();
    const faulty: string[] = [];
    for (const user of this.users)
      faulty.push(...differences(user.expected, await found(client, user, adminToken)));
    faulty.push(...(await misrecorded(world, this.deeds)));
    const path = '/api/admin/integrity';
    const { data } = await client.read({ token: adminToken, method: 'GET', path });
    const broken = data.laws.filter(
      (law: { status: string; severity: string }) => law.status === 'broken' && law.severity === 'owed',
    );
    faulty.push(...broken.map((law: object) => `integrity: ${JSON.stringify(law)}`));
    const books = await new DataSource({ type: 'postgres', url: world.databaseUrl }).initialize();
    faulty.push(...(await ledgerViolations(books)).map((law) => `the ledger: ${JSON.stringify(law)}`));
    await books.destroy();
    return faulty;
  }

  private async settled(): Promise<void> {
    const deadline = performance.now() + SETTLED_WITHIN_MS;
    const payments = this.users.flatMap(({ expected }) => [...expected.deposits.keys()]);
    for (let looks = 0; ; looks++) {
      const left = await unsettled(this.world, payments);
      if (left.length === 0) return;
      if (performance.now() > deadline) throw new Error(`not settled: ${left.join(', ')}`);
      if (looks % LOOKS_A_WHILE === 0) await aWhileLater(this.world);
      await sleep(100);
    }
  }
}

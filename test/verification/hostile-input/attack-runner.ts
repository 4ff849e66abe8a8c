import type { OpenAPIObject } from '@nestjs/swagger';
import { groupBy } from '../../../src/common/groups.js';
import { openApiDocument } from '../../../src/http/openapi/document.js';
import { violatedInvariants } from '../../fixtures/ledger-fixtures.js';
import { OpenApiContract } from '../../harness/contract.js';
import { SeededRandom } from '../../harness/seeded-random.js';
import type { TestPlatform } from '../../harness/platform.js';
import { URL_ATTACKS } from './url-attacks.js';
import type { Attack } from './attack.js';
import { BODY_ATTACKS } from './body-attacks.js';
import { CALLBACK_ATTACKS } from './callback-attacks.js';
import { AttackAccounts } from './accounts.js';
import { CLAIM_ATTACKS } from './claim-attacks.js';
import { HEADER_ATTACKS } from './header-attacks.js';
import { shellCommand, type HostileRequest } from './hostile-request.js';
import { responseErrors } from './response-check.js';
import { operationsOf, type Operation } from './operations.js';
import { ledgerErrors, hasUnknownOutcome, readLedger, type Sent } from './ledger-check.js';
import { RPC_ATTACKS } from './rpc-attacks.js';
import { Sender } from './sender.js';
import { SOCKET_ATTACKS } from './socket-attacks.js';

export const ATTACKS: readonly Attack[] = [
  ...BODY_ATTACKS,
  ...URL_ATTACKS,
  ...HEADER_ATTACKS,
  ...CALLBACK_ATTACKS,
  ...RPC_ATTACKS,
  ...CLAIM_ATTACKS,
  ...SOCKET_ATTACKS,
];

const CONCURRENT_REQUESTS = 8;
const REQUESTS_PER_ROUND = 64;
const ROUNDS_PER_ID_SEARCH = 10;

interface Finding {
  /** The route and the attack, or the ledger. */
  subject: string;
  fault: string;
  /** How to repeat it. */
  reproduction: string;
}

/** Sends all attacks equally often to all routes and checks the responses and the ledger. */
export class AttackRunner {
  private readonly findings: Finding[] = [];
  private readonly timesTried = new Map<string, number>();
  private readonly statusCounts = new Map<number, number>();
  private readonly random: SeededRandom;
  private readonly contract: OpenApiContract;
  private readonly operations: readonly Operation[];
  /** Requests of earlier rounds with an unknown outcome. */
  private readonly unknownOutcomes: Sent[] = [];
  private rounds = 0;
  private roundsWithoutChange = 0;
  private slowestMs = 0;
  private requestCount = 0;

  private constructor(
    private readonly platform: TestPlatform,
    document: OpenAPIObject,
    private readonly seed: number,
    private readonly accounts: AttackAccounts,
    private readonly sender: Sender,
  ) {
    this.random = new SeededRandom(seed);
    this.contract = new OpenApiContract(document);
    this.operations = operationsOf(document);
  }

  /** Attacks the platform's service or another process on its database. */
  static async create(
    platform: TestPlatform,
    seed: number,
    baseUrl = platform.baseUrl,
  ): Promise<AttackRunner> {
    const document = openApiDocument(platform.app, 'test');
    return new AttackRunner(
      platform,
      document,
      seed,
      await AttackAccounts.create(platform, baseUrl),
      new Sender(baseUrl),
    );
  }

  async run(requests: number): Promise<void> {
    const plan = schedule(this.operations, ATTACKS, this.random.fork(), requests);
    for (let from = 0; from < plan.length; from += REQUESTS_PER_ROUND) {
      await this.accounts.resume();
      if (this.rounds++ % ROUNDS_PER_ID_SEARCH === 0) await this.accounts.findIds(this.operations);
      await this.runRound(plan.slice(from, from + REQUESTS_PER_ROUND));
    }
    for (const violation of await violatedInvariants(this.platform.dataSource)) {
      this.findings.push({ subject: 'the ledger', fault: JSON.stringify(violation), reproduction: '' });
    }
  }

  /** Throws an error with all findings; without findings returns a summary. */
  report(): string {
    this.sender.close();
    if (this.findings.length > 0) throw new Error(describeFindings(this.findings, this.seed));
    const untried = ATTACKS.filter(({ name }) => !this.timesTried.has(name));
    if (untried.length > 0)
      throw new Error(`attacks that were not tried: ${untried.map(({ name }) => name).join(', ')}`);
    return this.summary();
  }

  private summary(): string {
    const kinds = new Map<string, number>();
    for (const [name, times] of this.timesTried) {
      const [kind = ''] = name.split(':');
      kinds.set(kind, (kinds.get(kind) ?? 0) + times);
    }
    const refused = this.countResponses((status) => status >= 400);
    const failed = this.countResponses((status) => status >= 500 && status !== 503);
    const unavailable = this.countResponses((status) => status === 503);
    return [
      `${this.requestCount} requests (${[...kinds].map(([kind, times]) => `${kind} ${times}`).join(', ')})`,
      `${ATTACKS.length} attacks, ${this.operations.length} routes, ${refused} refusals, 5xx ${failed} (permitted 503: ${unavailable})`,
      `slowest ${Math.round(this.slowestMs)} ms`,
      `the ledger unchanged after ${this.roundsWithoutChange} of ${this.rounds} rounds, otherwise changed by accepted requests only`,
    ].join('; ');
  }

  private countResponses(matches: (status: number) => boolean): number {
    return [...this.statusCounts].reduce((sum, [status, times]) => sum + (matches(status) ? times : 0), 0);
  }

  private async runRound(plan: readonly PlannedAttack[]): Promise<void> {
    const before = await readLedger(this.platform);
    const firstNumber = this.requestCount;
    const queue = plan.map((planned) => ({
      planned,
      number: this.requestCount++,
      random: this.random.fork(),
    }));
    const sent: Sent[] = [];
    const sendQueued = async (): Promise<void> => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        sent.push(await this.attack(next.planned, next.number, next.random));
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, sendQueued));
    const after = await readLedger(this.platform);
    const { faults, isUnchanged } = ledgerErrors(before, after, [...this.unknownOutcomes, ...sent]);
    this.unknownOutcomes.push(...sent.filter(({ outcome }) => hasUnknownOutcome(outcome)));
    if (isUnchanged) this.roundsWithoutChange++;
    const reproduction = `caused by one of the requests ${firstNumber} to ${this.requestCount - 1}`;
    this.findings.push(...faults.map((fault) => ({ subject: 'the ledger', fault, reproduction })));
  }

  private async attack(
    { operation, attack }: PlannedAttack,
    number: number,
    random: SeededRandom,
  ): Promise<Sent> {
    const as = this.accounts.callerOf(operation, random);
    const token = await this.accounts.tokenOf(as, operation);
    const existingId = () => (random.next() < 0.8 ? this.accounts.existingId(operation, random) : undefined);
    const parts = attack.make({ operation, random, token, existingId });
    const request: HostileRequest = { number, attack: attack.name, operation, as, ...parts };
    const outcome = await this.sender.send(request);
    this.timesTried.set(attack.name, (this.timesTried.get(attack.name) ?? 0) + 1);
    this.slowestMs = Math.max(this.slowestMs, outcome.milliseconds);
    for (const { status } of outcome.answers) {
      this.statusCounts.set(status, (this.statusCounts.get(status) ?? 0) + 1);
    }
    for (const fault of responseErrors(request, outcome, this.contract)) {
      const reproduction = `# ${number}, as ${as}: ${JSON.stringify(outcome).slice(0, 600)}\n${shellCommand(request, token)}`;
      this.findings.push({ subject: `${operation.name}, ${attack.name}`, fault, reproduction });
    }
    return { request, outcome };
  }
}

interface PlannedAttack {
  operation: Operation;
  attack: Attack;
}

/** Assigns attacks to operations in turn; each operation gets the least used attack that it has not had yet. */
export function schedule(
  operations: readonly Operation[],
  attacks: readonly Attack[],
  random: SeededRandom,
  count: number,
): PlannedAttack[] {
  const timesPlanned = new Map(attacks.map((attack) => [attack, 0]));
  const unusedAttacks = new Map<Operation, Attack[]>();
  return Array.from({ length: count }, (_, i) => {
    const operation = operations[i % operations.length] as Operation;
    let fitting = unusedAttacks.get(operation) ?? [];
    if (fitting.length === 0) fitting = attacks.filter(({ fits = () => true }) => fits(operation));
    const [attack, ...others] = fitting
      .map((candidate) => ({ candidate, order: (timesPlanned.get(candidate) as number) + random.next() }))
      .sort((a, b) => a.order - b.order)
      .map(({ candidate }) => candidate) as [Attack, ...Attack[]];
    unusedAttacks.set(operation, others);
    timesPlanned.set(attack, (timesPlanned.get(attack) as number) + 1);
    return { operation, attack };
  });
}

/** Groups equal findings and describes one of each group. */
function describeFindings(findings: readonly Finding[], seed: number): string {
  const groups = groupBy(findings, ({ subject, fault }) => `${subject}: ${fault.slice(0, 120)}`);
  const parts = [...groups].map(
    ([name, [first, ...others]]) => `${others.length + 1} × ${name}\n${first?.fault}\n${first?.reproduction}`,
  );
  return `SEED=${seed}\n${parts.join('\n\n')}`;
}

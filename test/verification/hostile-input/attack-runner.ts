import type { OpenAPIObject } from '@nestjs/swagger';
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

const AT_ONCE = 8;
const ROUND = 64;
const ROUNDS_PER_ID_SEARCH = 10;

interface Finding {
  where: string;
  fault: string;
  again: string;
}

/** Sends all attacks equally often to all routes and checks the responses and the ledger. */
export class AttackRunner {
  private readonly findings: Finding[] = [];
  private readonly tried = new Map<string, number>();
  private readonly statuses = new Map<number, number>();
  private readonly random: SeededRandom;
  private readonly contract: OpenApiContract;
  private readonly operations: readonly Operation[];
  /** Requests of earlier rounds with an unknown outcome. */
  private readonly unknownOutcomes: Sent[] = [];
  private rounds = 0;
  /** Number of rounds that did not change the ledger. */
  private unchanged = 0;
  private slowestMs = 0;
  private count = 0;

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
  static async create(platform: TestPlatform, seed: number, at = platform.baseUrl): Promise<AttackRunner> {
    const document = openApiDocument(platform.app, 'test');
    return new AttackRunner(
      platform,
      document,
      seed,
      await AttackAccounts.create(platform, at),
      new Sender(at),
    );
  }

  async run(requests: number): Promise<void> {
    const plan = schedule(this.operations, ATTACKS, this.random.fork(), requests);
    for (let from = 0; from < plan.length; from += ROUND) {
      await this.accounts.resume();
      if (this.rounds++ % ROUNDS_PER_ID_SEARCH === 0) await this.accounts.findIds(this.operations);
      await this.round(plan.slice(from, from + ROUND));
    }
    for (const law of await violatedInvariants(this.platform.dataSource)) {
      this.findings.push({ where: 'the ledger', fault: JSON.stringify(law), again: '' });
    }
  }

  /** Throws an error with all findings; without findings returns a summary. */
  report(): string {
    this.sender.close();
    if (this.findings.length > 0) throw new Error(describeFindings(this.findings, this.seed));
    const untried = ATTACKS.filter(({ name }) => !this.tried.has(name));
    if (untried.length > 0) throw new Error(`not tried: ${untried.map(({ name }) => name).join()}`);
    return this.figure();
  }

  private figure(): string {
    const kinds = new Map<string, number>();
    for (const [name, times] of this.tried) {
      const [kind = ''] = name.split(':');
      kinds.set(kind, (kinds.get(kind) ?? 0) + times);
    }
    const refused = this.answered((status) => status >= 400);
    const failed = this.answered((status) => status >= 500 && status !== 503);
    const away = this.answered((status) => status === 503);
    return [
      `${this.count} requests (${[...kinds].map(([kind, times]) => `${kind} ${times}`).join(', ')})`,
      `${ATTACKS.length} attacks, ${this.operations.length} routes, ${refused} refusals, 5xx ${failed} (permitted 503: ${away})`,
      `slowest ${Math.round(this.slowestMs)} ms`,
      `the ledger unchanged after ${this.unchanged} of ${this.rounds} rounds, otherwise changed by accepted requests only`,
    ].join('; ');
  }

  private answered(matches: (status: number) => boolean): number {
    return [...this.statuses].reduce((sum, [status, times]) => sum + (matches(status) ? times : 0), 0);
  }

  private async round(part: readonly Planned[]): Promise<void> {
    const before = await readLedger(this.platform);
    const first = this.count;
    const waiting = part.map((planned) => ({ planned, number: this.count++, random: this.random.fork() }));
    const sent: Sent[] = [];
    const next = async (): Promise<void> => {
      for (let one = waiting.shift(); one; one = waiting.shift()) {
        sent.push(await this.try(one.planned, one.number, one.random));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    const after = await readLedger(this.platform);
    const { faults, isUnchanged } = ledgerErrors(before, after, [...this.unknownOutcomes, ...sent]);
    this.unknownOutcomes.push(...sent.filter(({ outcome }) => hasUnknownOutcome(outcome)));
    if (isUnchanged) this.unchanged++;
    const again = `by one of the requests ${first} to ${this.count - 1}`;
    this.findings.push(...faults.map((fault) => ({ where: 'the ledger', fault, again })));
  }

  private async try({ operation, attack }: Planned, number: number, random: SeededRandom): Promise<Sent> {
    const as = this.accounts.callerOf(operation, random);
    const token = await this.accounts.tokenOf(as, operation);
    const realId = (of: Operation) => (random.next() < 0.8 ? this.accounts.realId(of, random) : undefined);
    const draft = attack.make({ operation, random, token, realId });
    const request: HostileRequest = { number, attack: attack.name, operation, as, ...draft };
    const outcome = await this.sender.send(request);
    this.tried.set(attack.name, (this.tried.get(attack.name) ?? 0) + 1);
    this.slowestMs = Math.max(this.slowestMs, outcome.milliseconds);
    for (const { status } of outcome.answers) {
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    }
    for (const fault of responseErrors(request, outcome, this.contract)) {
      const again = `# ${number}, as ${as}: ${JSON.stringify(outcome).slice(0, 600)}\n${shellCommand(request, token)}`;
      this.findings.push({ where: `${operation.name}, ${attack.name}`, fault, again });
    }
    return { request, outcome };
  }
}

interface Planned {
  operation: Operation;
  attack: Attack;
}

/** Assigns attacks to operations in turn; each operation gets its least used attack. */
export function schedule(
  operations: readonly Operation[],
  attacks: readonly Attack[],
  random: SeededRandom,
  count: number,
): Planned[] {
  const times = new Map(attacks.map((attack) => [attack, 0]));
  const left = new Map<Operation, Attack[]>();
  return Array.from({ length: count }, (_, i) => {
    const operation = operations[i % operations.length] as Operation;
    let fitting = left.get(operation) ?? [];
    if (fitting.length === 0) fitting = attacks.filter(({ fits = () => true }) => fits(operation));
    const order = (attack: Attack) => (times.get(attack) as number) + random.next();
    const [attack, ...others] = fitting
      .map((one) => ({ one, order: order(one) }))
      .sort((a, b) => a.order - b.order)
      .map(({ one }) => one) as [Attack, ...Attack[]];
    left.set(operation, others);
    times.set(attack, (times.get(attack) as number) + 1);
    return { operation, attack };
  });
}

/** Findings grouped by route and attack, with one example each. */
function describeFindings(findings: readonly Finding[], seed: number): string {
  if (findings.length === 0) return '';
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const name = `${finding.where}: ${finding.fault.slice(0, 120)}`;
    groups.set(name, [...(groups.get(name) ?? []), finding]);
  }
  const parts = [...groups].map(
    ([name, [first, ...others]]) => `${others.length + 1} × ${name}\n${first?.fault}\n${first?.again}`,
  );
  return `SEED=${seed}\n${parts.join('\n\n')}`;
}

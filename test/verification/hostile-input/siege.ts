import type { OpenAPIObject } from '@nestjs/swagger';
import { openApiDocument } from '../../../src/http/openapi/document.js';
import { ledgerViolations } from '../../fixtures/ledger-fixtures.js';
import { OpenApiContract } from '../../harness/contract.js';
import { SeededRandom } from '../../harness/seeded-random.js';
import type { TestPlatform } from '../../harness/platform.js';
import { ADDRESS_ATTACKS } from './address-attacks.js';
import type { Attack } from './attack.js';
import { BODY_ATTACKS } from './body-attacks.js';
import { CALLBACK_ATTACKS } from './callback-attacks.js';
import { Cast } from './cast.js';
import { CLAIM_ATTACKS } from './claim-attacks.js';
import { HEADER_ATTACKS } from './header-attacks.js';
import { pasted, type HostileRequest } from './hostile-request.js';
import { faultsOf } from './judge.js';
import { operationsOf, type Operation } from './operations.js';
import { faultsOfLedger, isOpen, ledgerOf, type Sent } from './ledger-watch.js';
import { RPC_ATTACKS } from './rpc-attacks.js';
import { Sender } from './send.js';
import { SOCKET_ATTACKS } from './socket-attacks.js';

export const ATTACKS: readonly Attack[] = [
  ...BODY_ATTACKS,
  ...ADDRESS_ATTACKS,
  ...HEADER_ATTACKS,
  ...CALLBACK_ATTACKS,
  ...RPC_ATTACKS,
  ...CLAIM_ATTACKS,
  ...SOCKET_ATTACKS,
];

const AT_ONCE = 8;
const ROUND = 64;
/** How often it is looked up what is there by now. */
const ROUNDS_OF_A_LOOK = 10;

interface Finding {
  where: string;
  fault: string;
  again: string;
}

/** Requests against every route, each attack as often as any; what is wrong with the answers, and what they did. */
export class Siege {
  private readonly findings: Finding[] = [];
  private readonly tried = new Map<string, number>();
  private readonly statuses = new Map<number, number>();
  private readonly random: SeededRandom;
  private readonly contract: OpenApiContract;
  private readonly operations: readonly Operation[];
  /** Requests of earlier rounds of which nobody knows whether they are still to be done. */
  private readonly open: Sent[] = [];
  private rounds = 0;
  /** Rounds after which the ledger was as before, to the last entry. */
  private unchanged = 0;
  private slowestMs = 0;
  private count = 0;

  private constructor(
    private readonly platform: TestPlatform,
    document: OpenAPIObject,
    private readonly seed: number,
    private readonly cast: Cast,
    private readonly sender: Sender,
  ) {
    this.random = new SeededRandom(seed);
    this.contract = new OpenApiContract(document);
    this.operations = operationsOf(document);
  }

  /** The service of the platform, or another process that has joined it. */
  static async of(platform: TestPlatform, seed: number, at = platform.baseUrl): Promise<Siege> {
    const document = openApiDocument(platform.app, 'test');
    return new Siege(platform, document, seed, await Cast.on(platform, at), new Sender(at));
  }

  async lay(requests: number): Promise<void> {
    const plan = schedule(this.operations, ATTACKS, this.random.fork(), requests);
    for (let from = 0; from < plan.length; from += ROUND) {
      await this.cast.resume();
      if (this.rounds++ % ROUNDS_OF_A_LOOK === 0) await this.cast.lookAround(this.operations);
      await this.round(plan.slice(from, from + ROUND));
    }
    for (const law of await ledgerViolations(this.platform.dataSource)) {
      this.findings.push({ where: 'the ledger', fault: JSON.stringify(law), again: '' });
    }
  }

  /** Throws with all that was found; tells what was done when it is nothing. */
  end(): string {
    this.sender.close();
    if (this.findings.length > 0) throw new Error(told(this.findings, this.seed));
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
      `${ATTACKS.length} attacks, ${this.operations.length} routes, ${refused} refusals, 5xx ${failed} (503 of what is switched off, paused or away: ${away})`,
      `slowest ${Math.round(this.slowestMs)} ms`,
      `the ledger unchanged after ${this.unchanged} of ${this.rounds} rounds, all else asked for`,
    ].join('; ');
  }

  private answered(matches: (status: number) => boolean): number {
    return [...this.statuses].reduce((sum, [status, times]) => sum + (matches(status) ? times : 0), 0);
  }

  private async round(part: readonly Planned[]): Promise<void> {
    const before = await ledgerOf(this.platform);
    const first = this.count;
    const waiting = part.map((planned) => ({ planned, number: this.count++, random: this.random.fork() }));
    const sent: Sent[] = [];
    const next = async (): Promise<void> => {
      for (let one = waiting.shift(); one; one = waiting.shift()) {
        sent.push(await this.try(one.planned, one.number, one.random));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    const after = await ledgerOf(this.platform);
    const { faults, isUnchanged } = faultsOfLedger(before, after, [...this.open, ...sent]);
    this.open.push(...sent.filter(({ outcome }) => isOpen(outcome)));
    if (isUnchanged) this.unchanged++;
    const again = `by one of the requests ${first} to ${this.count - 1}`;
    this.findings.push(...faults.map((fault) => ({ where: 'the ledger', fault, again })));
  }

  private async try({ operation, attack }: Planned, number: number, random: SeededRandom): Promise<Sent> {
    const as = this.cast.callerOf(operation, random);
    const token = await this.cast.tokenOf(as, operation);
    const realId = (of: Operation) => (random.next() < 0.8 ? this.cast.realId(of, random) : undefined);
    const draft = attack.make({ operation, random, token, realId });
    const request: HostileRequest = { number, attack: attack.name, operation, as, ...draft };
    const outcome = await this.sender.send(request);
    this.tried.set(attack.name, (this.tried.get(attack.name) ?? 0) + 1);
    this.slowestMs = Math.max(this.slowestMs, outcome.milliseconds);
    for (const { status } of outcome.answers) {
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    }
    for (const fault of faultsOf(request, outcome, this.contract)) {
      const again = `# ${number}, as ${as}: ${JSON.stringify(outcome).slice(0, 600)}\n${pasted(request, token)}`;
      this.findings.push({ where: `${operation.name}, ${attack.name}`, fault, again });
    }
    return { request, outcome };
  }
}

interface Planned {
  operation: Operation;
  attack: Attack;
}

/** Which attack meets which operation: each operation in its turn, of its attacks the one that was tried least. */
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

/** Findings by route and attack, an example of each to repeat. */
function told(findings: readonly Finding[], seed: number): string {
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

import type { OpenAPIObject } from '@nestjs/swagger';
import { brokenLaws } from '../books.js';
import { Contract } from '../contract.js';
import { Dice } from '../dice.js';
import type { TestPlatform } from '../platform.js';
import { ADDRESS_ATTACKS } from './address-attacks.js';
import type { Attack } from './attack.js';
import { BODY_ATTACKS } from './body-attacks.js';
import { Cast } from './cast.js';
import { HEADER_ATTACKS } from './header-attacks.js';
import { pasted, type HostileRequest } from './hostile-request.js';
import { faultsOf } from './judge.js';
import { operationsOf, type Operation } from './operations.js';
import { Sender, type Outcome } from './send.js';
import { SOCKET_ATTACKS } from './socket-attacks.js';

export const ATTACKS: readonly Attack[] = [
  ...BODY_ATTACKS,
  ...ADDRESS_ATTACKS,
  ...HEADER_ATTACKS,
  ...SOCKET_ATTACKS,
];

const AT_ONCE = 8;
const ROUND = 64;

interface Finding {
  where: string;
  fault: string;
  again: string;
}

interface Sent {
  request: HostileRequest;
  outcome: Outcome;
}

/** Requests against every route, each attack as often as any; what is wrong with the answers, and what they did. */
export class Siege {
  readonly findings: Finding[] = [];
  /** How many answers had each status. */
  readonly statuses = new Map<number, number>();
  readonly tried = new Map<string, number>();
  /** Rounds in which every request was refused, or could not touch money: there the ledger is compared whole. */
  roundsOfRefusals = 0;
  rounds = 0;
  slowestMs = 0;
  private readonly dice: Dice;
  private readonly contract: Contract;
  private readonly operations: readonly Operation[];

  constructor(
    private readonly platform: TestPlatform,
    document: OpenAPIObject,
    private readonly seed: number,
    private readonly at = platform.baseUrl,
  ) {
    this.dice = new Dice(seed);
    this.contract = new Contract(document);
    this.operations = operationsOf(document);
  }

  async lay(requests: number): Promise<void> {
    const cast = await Cast.on(this.platform, this.at);
    const sender = new Sender(this.at);
    const plan = schedule(this.operations, ATTACKS, this.dice.another(), requests);
    for (let from = 0; from < plan.length; from += ROUND) {
      await cast.resume();
      if (this.rounds % 10 === 0) await cast.lookAround(this.operations);
      await this.round(plan.slice(from, from + ROUND), from, cast, sender);
    }
    sender.close();
    for (const law of await brokenLaws(this.platform.dataSource)) {
      this.findings.push({ where: 'the ledger', fault: JSON.stringify(law), again: `SEED=${this.seed}` });
    }
  }

  /** Throws with all that was found. */
  requireNothingFound(): void {
    if (this.findings.length > 0) throw new Error(told(this.findings, this.seed));
  }

  private async round(part: readonly Planned[], from: number, cast: Cast, sender: Sender): Promise<void> {
    this.rounds++;
    const before = { state: await this.platform.ledgerState(), posted: await this.posted() };
    const waiting = part.map((planned, i) => ({ planned, number: from + i, dice: this.dice.another() }));
    const sent: Sent[] = [];
    const next = async (): Promise<void> => {
      for (let one = waiting.shift(); one; one = waiting.shift()) {
        const { planned, number, dice } = one;
        sent.push(await this.try(planned, number, dice, cast, sender));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    await this.compare(sent, before);
  }

  private async try(
    { operation, attack }: Planned,
    number: number,
    dice: Dice,
    cast: Cast,
    sender: Sender,
  ): Promise<Sent> {
    const as = cast.callerOf(operation, dice);
    const token = await cast.tokenOf(as, operation);
    const realId = (of: Operation) => (dice.roll() < 0.8 ? cast.realId(of, dice) : undefined);
    const draft = attack.make({ operation, dice, token, realId });
    const request: HostileRequest = { number, attack: attack.name, operation, as, ...draft };
    const outcome = await sender.send(request);
    this.tried.set(attack.name, (this.tried.get(attack.name) ?? 0) + 1);
    this.slowestMs = Math.max(this.slowestMs, outcome.milliseconds);
    for (const { status } of outcome.answers) this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    for (const fault of faultsOf(request, outcome, this.contract)) {
      const again = `# ${number}, as ${as}: ${JSON.stringify(outcome).slice(0, 600)}\n${pasted(request, token)}`;
      this.findings.push({ where: `${operation.name}, ${attack.name}`, fault, again });
    }
    return { request, outcome };
  }

  /** A refused request leaves the ledger as it was; whatever is posted belongs to one that was accepted. */
  private async compare(
    sent: readonly Sent[],
    before: { state: unknown; posted: Map<string, string> },
  ): Promise<void> {
    const accepted = sent.filter(
      ({ request, outcome }) =>
        request.operation.method !== 'GET' && outcome.answers.some(({ status }) => status < 400),
    );
    const traces = accepted.flatMap(({ request, outcome }) => [
      request.target,
      request.bytes?.toString('latin1') ?? '',
      ...outcome.answers.map(({ text }) => text),
    ]);
    const again = `rounds ${this.rounds}, requests from ${sent[0]?.request.number}, SEED=${this.seed}`;
    const posted = await this.posted();
    for (const [id, reference] of posted) {
      if (before.posted.has(id) || traces.some((trace) => trace.includes(reference))) continue;
      this.findings.push({ where: 'the ledger', fault: `posted, and nobody asked: ${reference}`, again });
    }
    if (posted.size > before.posted.size) return;
    this.roundsOfRefusals++;
    if (JSON.stringify(await this.platform.ledgerState()) === JSON.stringify(before.state)) return;
    this.findings.push({ where: 'the ledger', fault: 'changed without a posting', again });
  }

  /** What each transaction of the ledger is about, by its id; the growth of a day is nobody's request. */
  private async posted(): Promise<Map<string, string>> {
    const rows: { id: string; reference: string }[] = await this.platform.dataSource.query(
      `select id, reference_id as reference from ledger_transaction where type <> 'yield'`,
    );
    return new Map(rows.map(({ id, reference }) => [id, reference]));
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
  dice: Dice,
  count: number,
): Planned[] {
  const times = new Map(attacks.map((attack) => [attack, 0]));
  const left = new Map<Operation, Attack[]>();
  return Array.from({ length: count }, (_, i) => {
    const operation = operations[i % operations.length] as Operation;
    let fitting = left.get(operation) ?? [];
    if (fitting.length === 0) fitting = attacks.filter(({ fits = () => true }) => fits(operation));
    const order = (attack: Attack) => (times.get(attack) as number) + dice.roll();
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

import { Injectable } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../http/auth/principal.js';
import { Clock } from '../../common/clock.js';
import { Money } from '../../common/money.js';
import { AuditService } from '../audit/audit.service.js';
import { AdminTransactionRecords } from './admin-transaction.records.js';
import { AdminTransactionQueries, type AdminTransactionDetails } from './admin-transactions.queries.js';
import { LedgerHorizon } from './ledger-horizon.js';
import { planStrategies, planRest, type PlannedTransfer, type StrategyFlow } from './treasury-plan.js';
import type { TransferPurpose } from './domain/transaction-request.state-machine.js';
import { TreasuryRunQueries } from './treasury-runs.queries.js';

export interface RunOutcome {
  readonly id: string;
  readonly at: Date;
  readonly flows: readonly StrategyFlow[];
  readonly transactions: readonly AdminTransactionDetails[];
}

/** A transfer as the audit log has it. */
interface RecordedTransfer {
  readonly id: string;
  readonly purpose: TransferPurpose;
  readonly strategyId: string | null;
  readonly amount: string;
}

/** Plans what has to be carried between the deposit provider and custody. */
@Injectable()
export class TreasuryRunsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly horizon: LedgerHorizon,
    private readonly runs: TreasuryRunQueries,
    private readonly records: AdminTransactionRecords,
    private readonly queries: AdminTransactionQueries,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /**
   * Nets what was invested and closed since the last run, and asks for the transfers that come of it. Every entry of
   * the ledger is looked at by exactly one run: two at once, or one with nothing new, ask for nothing twice.
   */
  async generate(note: string | undefined, admin: AdminPrincipal): Promise<RunOutcome> {
    const reached = await this.horizon.reached();
    return this.unitOfWork.runInTransaction(async (tx) => {
      const last = await this.runs.lockLast(tx);
      const at = this.clock.now();
      const upTo = reached > last.upTo ? reached : last.upTo; // another run may have looked further meanwhile
      const window = { after: last.upTo, upTo };
      const flows = await this.runs.flows(tx, window);
      const { received: got, owed: more } = await this.runs.changes(tx, window);
      const received = added(last.received, got);
      const owed = last.owed.plus(more);
      const number = last.number + 1;
      const id = await this.runs.keep(tx, { number, upTo, received, owed }, admin.email, at);

      const ask = (planned: PlannedTransfer[]) => this.ask(tx, id, planned, admin, at);
      const asked = await ask(planStrategies(flows));
      const moved = await this.runs.moved(tx);
      asked.push(...(await ask(planRest({ received, moved, owed }))));

      const subject = { type: 'treasury-run', id };
      const after = { number, upTo: upTo.toString(), transactions: asked };
      await this.audit.record(tx, admin, { action: 'treasury.generate', subject, reason: note, after });
      return { id, at, flows, transactions: await this.queries.ofRun(id, tx) };
    });
  }

  private async ask(
    tx: Tx,
    runId: string,
    planned: readonly PlannedTransfer[],
    admin: AdminPrincipal,
    at: Date,
  ): Promise<RecordedTransfer[]> {
    const asked: RecordedTransfer[] = [];
    for (const transfer of planned) {
      const { purpose, strategyId, amount } = transfer;
      const wish = { ...transfer, type: 'transfer', runId, description: descriptionOf(transfer) } as const;
      const { id } = await this.records.add(tx, wish, admin.email, at);
      asked.push({ id, purpose, strategyId, amount: amount.toWire() });
    }
    return asked;
  }
}

function descriptionOf({ purpose, strategyId }: PlannedTransfer): string {
  if (purpose === 'sweep') return 'Into custody: what remains at the deposit provider';
  if (strategyId === null) return 'From custody: what the deposit provider lacks';
  return purpose === 'allocate'
    ? `Into custody: invested in ${strategyId}`
    : `From custody: paid back by ${strategyId}`;
}

function added(sums: ReadonlyMap<string, Money>, more: ReadonlyMap<string, Money>): Map<string, Money> {
  const networks = new Set([...sums.keys(), ...more.keys()]);
  const of = (amounts: ReadonlyMap<string, Money>, network: string) => amounts.get(network) ?? Money.ZERO;
  return new Map([...networks].map((network) => [network, of(sums, network).plus(of(more, network))]));
}

import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import { Clock } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { AuditService } from '../../core/audit/audit.service.js';
import { AdminTransactionsRepository } from './admin-transactions.repository.js';
import {
  addByNetwork,
  planBalancingTransfers,
  planStrategyTransfers,
  type PlannedTransfer,
  type TransferPurpose,
} from './domain/transfer-plan.js';
import { TreasuryRunsRepository } from './treasury-runs.repository.js';
import type { TreasuryRunResult } from './treasury.types.js';

const MAX_WAIT_MS = 5_000;
const POLL_MS = 20;
const RETRY_AFTER_SECONDS = 5;

/** The fields of a transfer that the audit log stores. */
interface AuditedTransfer {
  readonly id: string;
  readonly purpose: TransferPurpose;
  readonly strategyId: string | null;
  readonly amount: string;
}

/** Plans the transfers between the deposit provider and custody. */
@Injectable()
export class TreasuryRunsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly runs: TreasuryRunsRepository,
    private readonly transactions: AdminTransactionsRepository,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates pending transfers from the ledger entries since the last run. Exactly one run reads each entry, so concurrent
   * or repeated calls plan no transfer twice. Throws SERVICE_UNAVAILABLE if a concurrent transaction takes too long.
   */
  async generateTransfers(note: string | undefined, admin: AdminPrincipal): Promise<TreasuryRunResult> {
    const newest = await this.waitForNewestEntry();
    return this.unitOfWork.runInTransaction(async (tx) => {
      await this.runs.lockTreasury(tx);
      const last = await this.runs.getLastPosition(tx);
      const at = this.clock.now();
      const upTo = newest > last.upTo ? newest : last.upTo; // a concurrent run may have read further
      const range = { after: last.upTo, upTo };
      const flows = await this.runs.sumStrategyFlows(tx, range);
      const changes = await this.runs.sumProviderChanges(tx, range);
      const received = addByNetwork(last.received, changes.received);
      const owed = last.owed.plus(changes.owed);
      const number = last.number + 1;
      const id = this.runs.insertRun(tx, { number, upTo, received, owed }, admin.email, at);

      const insertPlanned = (planned: PlannedTransfer[]) => this.insertTransfers(tx, id, planned, admin, at);
      const transfers = insertPlanned(planStrategyTransfers(flows));
      const moved = await this.runs.sumTransfers(tx); // includes the transfers of the strategies
      transfers.push(...insertPlanned(planBalancingTransfers({ received, moved, owed })));

      const subject = { type: 'treasury-run', id };
      const after = { number, upTo: upTo.toString(), transactions: transfers };
      await this.audit.record(tx, admin, { action: 'treasury.generate', subject, reason: note, after });
      return { id, at, flows, transactions: await this.transactions.findTransfersOfRun(tx, id) };
    });
  }

  /**
   * Reads the id of the newest ledger entry, and waits until no entry with a lower id can still be committed. Entries receive
   * their ids before they are committed, so this waits for all transactions that were open at the reading. Takes no lock.
   */
  private async waitForNewestEntry(): Promise<bigint> {
    const { entryId, transactionId } = await this.runs.getNewestEntry();
    const started = performance.now();
    while (!(await this.runs.haveTransactionsEnded(transactionId))) {
      if (performance.now() - started > MAX_WAIT_MS)
        throwError('SERVICE_UNAVAILABLE', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
      await sleep(POLL_MS);
    }
    return entryId;
  }

  private insertTransfers(
    tx: Tx,
    runId: string,
    planned: readonly PlannedTransfer[],
    admin: AdminPrincipal,
    at: Date,
  ): AuditedTransfer[] {
    return planned.map((transfer) => {
      const { purpose, strategyId, amount } = transfer;
      const input = { ...transfer, type: 'transfer', runId, description: descriptionOf(transfer) } as const;
      const id = this.transactions.insertTransaction(tx, input, admin.email, at);
      return { id, purpose, strategyId, amount: amount.toWire() };
    });
  }
}

function descriptionOf({ purpose, strategyId }: PlannedTransfer): string {
  if (purpose === 'sweep') return 'Into custody: surplus at the deposit provider';
  if (strategyId === null) return 'From custody: shortage at the deposit provider';
  return purpose === 'allocate'
    ? `Into custody: invested in ${strategyId}`
    : `From custody: paid back by ${strategyId}`;
}

import { Injectable, Logger } from '@nestjs/common';
import { asDomainError } from '../../../common/errors/database-error.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import { UnitOfWork } from '../../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import { ListExportsService } from '../../core/audit/list-exports.service.js';
import { RequestedApproval } from '../../identity/approvals/approvals.types.js';
import { AdminWithdrawalsRepository } from './admin-withdrawals.repository.js';
import type { PaidWithdrawalRequest } from './dto/withdrawals.request.js';
import { WithdrawalListsRepository } from './withdrawal-lists.repository.js';
import { WithdrawalOutcomesService } from './withdrawal-outcomes.service.js';
import { WithdrawalPaymentsService } from './withdrawal-payments.service.js';
import type {
  AdminWithdrawal,
  BatchResult,
  PaymentFile,
  PaymentFileLine,
  RefusedChange,
} from './withdrawals.types.js';

/** Why one withdrawal of several was refused. Logs an unexpected error, which the caller's response does not describe. */
export function toRefusal(error: unknown, log: Logger): DomainError {
  const refusal = error instanceof DomainError ? error : asDomainError(error);
  if (refusal) return refusal;
  log.error({ msg: 'one withdrawal of several could not be changed', err: error });
  return new DomainError('INTERNAL_SERVER_ERROR');
}

/** Withdrawals about which the chain is asked at once. */
const LOOKED_UP_TOGETHER = 10;

/** What operators do for many withdrawals: the file of the payments to make, and their outcomes. */
@Injectable()
export class WithdrawalBatchesService {
  private readonly log = new Logger('Withdrawals');

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly withdrawals: AdminWithdrawalsRepository,
    private readonly lists: WithdrawalListsRepository,
    private readonly outcomes: WithdrawalOutcomesService,
    private readonly payments: WithdrawalPaymentsService,
    private readonly exports: ListExportsService,
  ) {}

  /** What the admin has taken, at `takenAfter` or later, and not completed, the newest last. */
  listPayments({ email }: AdminPrincipal, takenAfter?: string): Promise<PaymentFile> {
    return this.lists.findTakenBy(email, takenAfter);
  }

  /** As `listPayments`, for a file, which the audit log records. */
  exportPayments(admin: AdminPrincipal, takenAfter?: string): AsyncGenerator<PaymentFileLine[], void> {
    return this.exports.streamList(admin, { list: 'payment-file', query: { takenAfter } }, (snapshot) =>
      this.lists.streamTakenBy(snapshot, admin.email, takenAfter),
    );
  }

  /**
   * Completes each withdrawal in a transaction of its own, as `completeWithdrawal` does, after one step-up for exactly these items,
   * which is used up even if every item is refused. An item that the admin has completed with this hash before counts as completed.
   */
  async completeSeveral(
    items: readonly PaidWithdrawalRequest[],
    admin: AdminPrincipal,
    requireStepUp: StepUpCheck,
  ): Promise<BatchResult> {
    const paid = items.map(({ id, txHash }) => ({ id: id.toLowerCase(), txHash: txHash.trim() }));
    await this.unitOfWork.runInNewTransaction((tx) => requireStepUp(tx, { items: paid }));
    return this.changeEach(
      paid,
      (item) => this.payments.lookUpPayment(item),
      ({ id }, payment) => this.outcomes.completeSeparately(id, payment, admin),
      ({ id, txHash }) => this.withdrawals.wasCompletedBy(id, admin.email, txHash),
    );
  }

  /**
   * Rejects each withdrawal in a transaction of its own, as `rejectWithdrawal` does. One that the admin has rejected for this reason
   * before counts as rejected. `requireStepUp` has no token: a withdrawal whose rejection needs a step-up is refused here, and is
   * rejected alone.
   */
  rejectSeveral(
    ids: readonly string[],
    reason: string,
    admin: AdminPrincipal,
    requireStepUp: StepUpCheck,
  ): Promise<BatchResult> {
    return this.changeEach(
      [...new Set(ids.map((id) => id.toLowerCase()))].map((id) => ({ id })),
      ({ id }) => this.outcomes.searchBeforeRejection(id),
      ({ id }, search) => this.outcomes.rejectSeparately(id, reason, search, admin, requireStepUp),
      ({ id }) => this.withdrawals.wasRejectedBy(id, admin.email, reason),
    );
  }

  /** Asks the chain about some items at once, and then changes one after the other, so that their order decides about equal hashes. */
  private async changeEach<Item extends { readonly id: string }, Answer>(
    items: readonly Item[],
    askChain: (item: Item) => Promise<Answer>,
    change: (item: Item, answer: Answer) => Promise<AdminWithdrawal | RequestedApproval>,
    wasChanged: (item: Item) => Promise<boolean>,
  ): Promise<BatchResult> {
    const result: BatchResult = { changed: [], failed: [] };
    for (let start = 0; start < items.length; start += LOOKED_UP_TOGETHER) {
      const together = items.slice(start, start + LOOKED_UP_TOGETHER);
      const answers = await Promise.allSettled(together.map(askChain));
      for (const [index, item] of together.entries()) {
        const { id } = item;
        try {
          const answer = answers[index] as PromiseSettledResult<Answer>;
          if (answer.status === 'rejected') throw answer.reason;
          const changed = await change(item, answer.value);
          if (changed instanceof RequestedApproval) result.failed.push(waiting(id, changed));
          else result.changed.push(id);
        } catch (error) {
          const { code, message } = toRefusal(error, this.log);
          if (code === 'INVALID_STATE' && (await wasChanged(item))) result.changed.push(id);
          else result.failed.push({ id, code, message });
        }
      }
    }
    return result;
  }
}

function waiting(id: string, { approval }: RequestedApproval): RefusedChange {
  const message =
    'Another admin has to approve this (approvalId): the chain contradicts it or cannot be searched.';
  return { id, code: 'FOUR_EYES_REQUIRED', message, approvalId: approval.id };
}

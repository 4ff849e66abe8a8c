import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { savepoint, UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import { permits } from '../../../http/auth/permissions.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import type { QueueQuery } from '../../../http/request/page.query.js';
import { Clock } from '../../../common/clock.js';
import { startOfDay } from '../../../common/days.js';
import { throwError, type DomainError } from '../../../common/errors/domain-error.js';
import { ApprovalHandlersService } from '../../identity/approvals/approval-handlers.service.js';
import { FourEyesService } from '../../identity/approvals/four-eyes.service.js';
import { ListExportsService } from '../../core/audit/list-exports.service.js';
import {
  NOT_CHECKED,
  ScreeningComplianceService,
} from '../../identity/screening/screening-compliance.service.js';
import type { TierColumns } from '../../identity/users/domain/limit-tier.js';
import { LimitTiersService } from '../../identity/users/limit-tiers.service.js';
import { currentLock, currentHold } from '../../identity/users/domain/account-restrictions.js';
import { StepUps, type StepUpCheck } from '../../../http/auth/step-up.js';
import { AdminWithdrawalsRepository } from './admin-withdrawals.repository.js';
import { toRefusal } from './withdrawal-batches.service.js';
import { requireUnchanged, type WithdrawalVerb } from './domain/withdrawal.state-machine.js';
import type { AdminWithdrawalsQuery } from './dto/withdrawals.request.js';
import type { Withdrawal, WithdrawalStep } from './entities/withdrawal.entity.js';
import { WithdrawalListsRepository } from './withdrawal-lists.repository.js';
import { WithdrawalOutcomesService } from './withdrawal-outcomes.service.js';
import { WithdrawalPaymentsService } from './withdrawal-payments.service.js';
import { WithdrawalScreeningService } from './withdrawal-screening.service.js';
import { WithdrawalTransitionsService } from './withdrawal-transitions.service.js';
import type {
  AdminWithdrawal,
  BulkTakeResult,
  LifecycleStep,
  TransitionChanges,
  WithdrawalHistory,
  WithdrawalListTotals,
  WithdrawalOwner,
  WithdrawalQueue,
} from './withdrawals.types.js';
import { failFourEyes } from '../../identity/approvals/domain/second-person.js';
import type { Page } from '../../../lists/list-page.js';

/** As `DecideChanges`, for a decision that only needs the tier of the withdrawal's user. */
type DecideAsAdmin = (withdrawal: Withdrawal, at: Date, owner: TierColumns) => TransitionChanges;

const UNSEARCHED =
  'The chain cannot be searched back to the request of this withdrawal, so that it may be paid already. Try again shortly. If the request is older than a week, complete it, or reject it with the approval of another admin.';

/** Withdrawals for admins: lists, details and the actions of operators. */
@Injectable()
export class AdminWithdrawalsService implements OnModuleInit {
  private readonly log = new Logger('Withdrawals');

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly tiers: LimitTiersService,
    private readonly withdrawals: AdminWithdrawalsRepository,
    private readonly lists: WithdrawalListsRepository,
    private readonly transitions: WithdrawalTransitionsService,
    private readonly outcomes: WithdrawalOutcomesService,
    private readonly payments: WithdrawalPaymentsService,
    private readonly screening: WithdrawalScreeningService,
    private readonly compliance: ScreeningComplianceService,
    private readonly exports: ListExportsService,
    private readonly fourEyes: FourEyesService,
    private readonly handlers: ApprovalHandlersService,
    private readonly stepUps: StepUps,
  ) {}

  onModuleInit(): void {
    this.handlers.registerRecord({
      kind: 'withdrawal',
      permission: 'withdrawals:approve',
      approveRecord: (id, admin, { requireStepUp }) => this.approveWithdrawal(id, admin, requireStepUp),
      // The route that rejects approvals has no step-up: a withdrawal that needs one is rejected by its own route.
      rejectRecord: (id, reason, admin) =>
        this.outcomes.rejectWithdrawal(
          id,
          reason,
          admin,
          this.stepUps.checkOf(admin, undefined, 'withdrawal.reject'),
        ),
    });
  }

  listWithdrawals(
    query: AdminWithdrawalsQuery,
  ): Promise<Page<AdminWithdrawal> & { totals: WithdrawalListTotals }> {
    return this.lists.findPage(query, startOfDay(this.clock.today()));
  }

  /** All selected withdrawals in batches. Throws SERVICE_UNAVAILABLE while the admin has another export open. */
  exportWithdrawals(
    query: AdminWithdrawalsQuery,
    admin: AdminPrincipal,
  ): AsyncGenerator<AdminWithdrawal[], void> {
    return this.exports.streamList(admin, { list: 'withdrawals', query }, (snapshot) =>
      this.lists.streamWithdrawals(snapshot, query),
    );
  }

  /** Pending withdrawals with the figures that an operator decides by. */
  async listQueue(query: QueueQuery): Promise<WithdrawalQueue> {
    const { rows, ...page } = await this.withdrawals.findQueue(query, this.clock.now());
    const results = await this.compliance.resultsOfPayments(rows);
    return {
      ...page,
      rows: rows.map((row, index) => ({
        ...row,
        userTier: this.tiers.tierOf(row.userId, row),
        compliance: results[index] ?? NOT_CHECKED,
      })),
    };
  }

  /** For an operator who opens the withdrawal: also has its address screened. Throws WITHDRAWAL_NOT_FOUND. */
  async getHistory(id: string): Promise<WithdrawalHistory> {
    const now = this.clock.now();
    const detail = await this.withdrawals.getDetail(id, now);
    await this.screening.queueOpened(detail);
    const steps = await this.withdrawals.findSteps(id);
    const [compliance = NOT_CHECKED] = await this.compliance.resultsOfPayments([detail]);
    const lifecycle = steps.map((step) => toLifecycleStep(step, detail.userEmail));
    const userTier = this.tiers.tierOf(detail.userId, detail);
    const hold = currentHold(detail, now);
    return { ...detail, userTier, compliance, lifecycle, hold, lock: currentLock(detail) };
  }

  /** Needs a step-up from `approvalAbove` of the user's tier on. */
  async approveWithdrawal(
    id: string,
    admin: AdminPrincipal,
    requireStepUp: StepUpCheck,
  ): Promise<AdminWithdrawal> {
    await this.fourEyes.requireSecondPerson(null, admin.email); // no admin has acted before
    const decideChanges: DecideAsAdmin = (_, at) => ({ approvedAt: at, approvedBy: admin.email });
    return this.actAsAdmin(id, 'approve', admin, decideChanges, async (tx, withdrawal, owner) => {
      if (this.needsApproval(withdrawal, owner)) await requireStepUp(tx, { id });
    });
  }

  async takeWithdrawal(id: string, admin: AdminPrincipal): Promise<AdminWithdrawal> {
    return this.actAsAdmin(id, 'take', admin, await this.decideTake(admin));
  }

  /**
   * Takes each withdrawal in a savepoint, so that a refusal affects one withdrawal only. The ids are sorted, so that
   * concurrent calls lock the rows in the same order and cannot deadlock.
   */
  async takeSeveral(requestedIds: readonly string[], admin: AdminPrincipal): Promise<BulkTakeResult> {
    const ids = [...new Set(requestedIds.map((id) => id.toLowerCase()))];
    const decideTake = await this.decideTake(admin);
    await this.screening.prepareSeveral(ids, 'take');
    return this.unitOfWork.runInTransaction(async (tx) => {
      const refusals = new Map<string, DomainError>();
      for (const id of ids.toSorted()) {
        await savepoint(tx, (savepointTx) =>
          this.applyAsAdmin(savepointTx, id, 'take', admin, decideTake),
        ).catch((error: unknown) => refusals.set(id, toRefusal(error, this.log)));
      }
      // The audit entries are written outside of the savepoints, which were rolled back.
      for (const [id, refusal] of refusals)
        await this.screening.auditBlocked(tx, admin, { type: 'withdrawal', id }, 'take', refusal);
      return {
        taken: ids.filter((id) => !refusals.has(id)),
        failed: ids.flatMap((id) => {
          const refusal = refusals.get(id);
          return refusal ? [{ id, code: refusal.code, message: refusal.message }] : [];
        }),
      };
    });
  }

  async executeWithdrawal(id: string, admin: AdminPrincipal): Promise<AdminWithdrawal> {
    return this.actAsAdmin(id, 'execute', admin, await this.decideTake(admin));
  }

  /** Records that the payment was not made. The amount stays reserved until a reversal (DEC-30). */
  failWithdrawal(id: string, reason: string, admin: AdminPrincipal): Promise<AdminWithdrawal> {
    return this.actAsAdmin(id, 'fail', admin, () => ({ note: reason }));
  }

  /**
   * Puts a taken withdrawal back to the pending ones. Throws PERMISSION_DENIED unless the admin has taken it or has all permissions;
   * INVALID_STATE if the chain shows a payment of it, which the next operator would repeat, or if it has changed during the search;
   * SERVICE_UNAVAILABLE if the chain cannot be searched.
   */
  async returnWithdrawal(id: string, reason: string, admin: AdminPrincipal): Promise<AdminWithdrawal> {
    const { found, searched } = await this.payments.findPaymentSinceRequest(id);
    return this.actAsAdmin(id, 'return', admin, (withdrawal) => {
      const { status, takenBy } = withdrawal;
      if (takenBy !== admin.email && !permits(admin.permissions, '*'))
        throwError(
          'PERMISSION_DENIED',
          { required: '*' },
          { message: 'Only the admin who has taken the withdrawal can return it.' },
        );
      requireUnchanged(withdrawal, searched, 'return');
      if (found === 'unreachable') throwError('SERVICE_UNAVAILABLE', undefined, { message: UNSEARCHED });
      if (found)
        throwError(
          'INVALID_STATE',
          { status, action: 'return', allowedFrom: [] },
          { message: `The chain shows a payment of this withdrawal: ${found.txHash}. Complete it.` },
        );
      return { note: reason };
    });
  }

  /**
   * Screens the withdrawal if the verb requires it, carries out the transition, and returns the result with its owner. `requireMore` is
   * called in the same transaction, and throws to undo the transition.
   */
  private async actAsAdmin(
    id: string,
    verb: WithdrawalVerb,
    admin: AdminPrincipal,
    decideChanges: DecideAsAdmin,
    requireMore?: (tx: Tx, withdrawal: Withdrawal, owner: TierColumns) => Promise<void>,
  ): Promise<AdminWithdrawal> {
    await this.screening.prepareTransition(id, verb);
    return this.screening.runAndAuditBlocked(admin, { type: 'withdrawal', id }, verb, () =>
      this.unitOfWork.runInTransaction(async (tx) => {
        const [changed, owner] = await this.applyAsAdmin(tx, id, verb, admin, decideChanges);
        await requireMore?.(tx, changed, owner);
        return { ...changed, ...owner };
      }),
    );
  }

  /** Carries out a transition, and returns the withdrawal with its owner. Throws FOUR_EYES_REQUIRED for the admin's own withdrawal. */
  private applyAsAdmin(
    tx: Tx,
    id: string,
    verb: WithdrawalVerb,
    { email }: AdminPrincipal,
    decideChanges: DecideAsAdmin,
  ): Promise<[Withdrawal, WithdrawalOwner & TierColumns]> {
    return this.transitions.applyTransition(
      tx,
      id,
      { verb, by: { type: 'admin', id: email } },
      (withdrawal, at, owner) => {
        this.fourEyes.refuseOwnMoney(owner.userEmail, email);
        return decideChanges(withdrawal, at, owner);
      },
      () => this.withdrawals.getOwner(tx, id),
    );
  }

  /**
   * Returns what decides about a take or an execution by the admin: from `approvalAbove` of the user's tier on, it throws
   * FOUR_EYES_REQUIRED unless another admin has approved the withdrawal.
   */
  private async decideTake({ email }: AdminPrincipal): Promise<DecideAsAdmin> {
    if (this.tiers.tiers.every(({ approvalAbove }) => approvalAbove === null)) return () => ({});
    const facts = await this.fourEyes.getAccountFacts();
    return (withdrawal, _, owner) => {
      if (!this.needsApproval(withdrawal, owner)) return {};
      if (withdrawal.approvedBy === null) failFourEyes('not-approved');
      this.fourEyes.checkSecondPerson(facts, withdrawal.approvedBy, email);
      return {};
    };
  }

  private needsApproval({ userId, amount }: Withdrawal, owner: TierColumns): boolean {
    const { approvalAbove } = this.tiers.tierOf(userId, owner);
    return approvalAbove !== null && !amount.isLessThan(approvalAbove);
  }
}

function toLifecycleStep(
  { status, verb, at, byType, byId, note }: WithdrawalStep,
  userEmail: string,
): LifecycleStep {
  return { status, action: verb, at, by: byType === 'user' ? userEmail : byId, note };
}

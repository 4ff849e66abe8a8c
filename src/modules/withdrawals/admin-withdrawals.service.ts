import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { asDomainError } from '../../common/errors/database-error.js';
import { savepoint, UnitOfWork } from '../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../http/auth/principal.js';
import type { QueueQuery } from '../../http/request/queue.query.js';
import { Clock } from '../../common/clock.js';
import { startOfDay } from '../../common/days.js';
import { DomainError, fail } from '../../common/errors/domain-error.js';
import { ApprovalHandlersService } from '../approvals/approval-handlers.service.js';
import { FourEyesService } from '../approvals/four-eyes.service.js';
import { ListExportsService } from '../audit/list-exports.service.js';
import { ScreeningComplianceService } from '../screening/screening-compliance.service.js';
import { NOT_CHECKED } from '../users/domain/compliance.js';
import { currentHold } from '../users/domain/security-hold.js';
import { AdminWithdrawalsRepository, type WithdrawalFilter } from './admin-withdrawals.repository.js';
import type { WithdrawalVerb } from './domain/withdrawal.state-machine.js';
import type { AdminWithdrawalsQuery } from './dto/withdrawals.request.js';
import type { WithdrawalStep } from './entities/withdrawal-step.entity.js';
import type { Withdrawal } from './entities/withdrawal.entity.js';
import { WithdrawalOutcomesService } from './withdrawal-outcomes.service.js';
import { WithdrawalScreeningService } from './withdrawal-screening.service.js';
import { WithdrawalTransitionsService } from './withdrawal-transitions.service.js';
import type {
  Actor,
  AdminWithdrawal,
  BulkTakeResult,
  LifecycleStep,
  TransitionChanges,
  WithdrawalHistory,
  WithdrawalListTotals,
  WithdrawalQueue,
} from './withdrawals.types.js';

/** As `DecideChanges`, for a decision that needs no further reads. */
type DecideAsAdmin = (withdrawal: Withdrawal, at: Date) => TransitionChanges;

/** Withdrawals for admins: lists, details and the actions of operators. */
@Injectable()
export class AdminWithdrawalsService implements OnModuleInit {
  private readonly log = new Logger('Withdrawals');

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: AppConfig,
    private readonly withdrawals: AdminWithdrawalsRepository,
    private readonly transitions: WithdrawalTransitionsService,
    private readonly outcomes: WithdrawalOutcomesService,
    private readonly screening: WithdrawalScreeningService,
    private readonly compliance: ScreeningComplianceService,
    private readonly exports: ListExportsService,
    private readonly fourEyes: FourEyesService,
    private readonly handlers: ApprovalHandlersService,
  ) {}

  onModuleInit(): void {
    this.handlers.registerRecord({
      kind: 'withdrawal',
      permission: 'withdrawals:approve',
      approveRecord: (id, admin) => this.approveWithdrawal(id, admin),
      rejectRecord: (id, reason, admin) => this.outcomes.rejectWithdrawal(id, reason, admin),
    });
  }

  listWithdrawals(
    query: AdminWithdrawalsQuery,
  ): Promise<{ rows: AdminWithdrawal[]; hasNext: boolean; totals: WithdrawalListTotals }> {
    return this.withdrawals.findPage(toFilter(query), startOfDay(this.clock.today()));
  }

  /** All selected withdrawals in batches. Throws SERVICE_UNAVAILABLE while the admin has another export open. */
  exportWithdrawals(
    query: AdminWithdrawalsQuery,
    admin: AdminPrincipal,
  ): AsyncGenerator<AdminWithdrawal[], void> {
    const filter = toFilter(query);
    return this.exports.streamList(admin, { list: 'withdrawals', query: filter }, (snapshot) =>
      this.withdrawals.streamWithdrawals(snapshot, filter),
    );
  }

  /** Pending withdrawals with the figures that an operator decides by. */
  async listQueue(filter: QueueQuery): Promise<WithdrawalQueue> {
    const { rows, hasNext, totals } = await this.withdrawals.findQueue(filter, this.clock.now());
    const results = await this.compliance.resultsOfPayments(rows);
    return {
      rows: rows.map((row, index) => ({ ...row, compliance: results[index] ?? NOT_CHECKED })),
      hasNext,
      totals,
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
    return { ...detail, compliance, lifecycle, hold: currentHold(detail, now) };
  }

  async approveWithdrawal(id: string, admin: AdminPrincipal): Promise<AdminWithdrawal> {
    await this.fourEyes.requireSecondPerson(null, admin.email);
    return this.actAsAdmin(id, 'approve', admin, (_, at) => ({ approvedAt: at, approvedBy: admin.email }));
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
    const by: Actor = { type: 'admin', id: admin.email };
    const decideTake = await this.decideTake(admin);
    await this.screening.prepareSeveral(ids, 'take');
    return this.unitOfWork.runInTransaction(async (tx) => {
      const refusals = new Map<string, DomainError>();
      for (const id of ids.toSorted()) {
        await savepoint(tx, (savepointTx) =>
          this.transitions.applyTransition(
            savepointTx,
            id,
            { verb: 'take', by },
            (withdrawal, at, owner) => {
              this.fourEyes.refuseOwnMoney(owner.userEmail, admin.email);
              return decideTake(withdrawal, at);
            },
            () => this.withdrawals.getOwner(savepointTx, id),
          ),
        ).catch((error: unknown) => refusals.set(id, this.toRefusal(error)));
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
    const decideTake = await this.decideTake(admin);
    return this.actAsAdmin(id, 'execute', admin, (withdrawal, at) => ({
      ...decideTake(withdrawal, at),
      executedAt: at,
    }));
  }

  /** Screens the withdrawal if the verb requires it, carries out the transition, and returns the result with its owner. */
  private async actAsAdmin(
    id: string,
    verb: WithdrawalVerb,
    admin: AdminPrincipal,
    decideChanges: DecideAsAdmin,
  ): Promise<AdminWithdrawal> {
    await this.screening.prepareTransition(id, verb);
    return this.screening.runAndAuditBlocked(admin, { type: 'withdrawal', id }, verb, () =>
      this.unitOfWork.runInTransaction(async (tx) => {
        const transition = { verb, by: { type: 'admin', id: admin.email } } as const;
        const [changed, owner] = await this.transitions.applyTransition(
          tx,
          id,
          transition,
          (withdrawal, at, { userEmail }) => {
            this.fourEyes.refuseOwnMoney(userEmail, admin.email);
            return decideChanges(withdrawal, at);
          },
          () => this.withdrawals.getOwner(tx, id),
        );
        return { ...changed, ...owner };
      }),
    );
  }

  /** From WITHDRAWAL_FOUR_EYES_ABOVE on: throws FOUR_EYES_REQUIRED unless another admin has approved the withdrawal. */
  private async decideTake({ email }: AdminPrincipal): Promise<DecideAsAdmin> {
    const threshold = this.config.WITHDRAWAL_FOUR_EYES_ABOVE;
    if (threshold === undefined) return () => ({});
    const facts = await this.fourEyes.findAccountFacts();
    return ({ amount, approvedBy }) => {
      if (amount.isLessThan(threshold)) return {};
      if (approvedBy === null) fail('FOUR_EYES_REQUIRED');
      this.fourEyes.checkSecondPerson(facts, approvedBy, email);
      return {};
    };
  }

  private toRefusal(error: unknown): DomainError {
    const refusal = error instanceof DomainError ? error : asDomainError(error);
    if (refusal) return refusal;
    this.log.error({ msg: 'a withdrawal could not be taken', err: error });
    return new DomainError('INTERNAL_SERVER_ERROR');
  }
}

function toFilter(query: AdminWithdrawalsQuery): WithdrawalFilter {
  return { ...query, userId: query.userId ?? query.user_id };
}

function toLifecycleStep(
  { status, verb, at, byType, byId, note }: WithdrawalStep,
  userEmail: string,
): LifecycleStep {
  return { status, action: verb, at, by: byType === 'user' ? userEmail : byId, note };
}

import { isDeepStrictEqual } from 'node:util';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { all } from '../../../database/statements.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { ApprovalHandlersService } from '../../identity/approvals/approval-handlers.service.js';
import { ApprovalsService } from '../../identity/approvals/approvals.service.js';
import type {
  ChangeRequest,
  MakeChange,
  PendingChange,
  RequestedApproval,
} from '../../identity/approvals/approvals.types.js';
import { FourEyesService } from '../../identity/approvals/four-eyes.service.js';
import type { AuditActor } from '../../core/audit/audit.service.js';
import { AdminWithdrawalsRepository } from './admin-withdrawals.repository.js';
import { ContradictedCompletion, paymentFieldsOf, approvalSubjectOf } from './domain/alerts-and-approvals.js';
import {
  isUnpayable,
  requireShownOnChain,
  requireUnchanged,
  WITHDRAWAL_STATES,
} from './domain/withdrawal.state-machine.js';
import type { Withdrawal } from './entities/withdrawal.entity.js';
import { WithdrawalPaymentsService } from './withdrawal-payments.service.js';
import { WithdrawalTransitionsService } from './withdrawal-transitions.service.js';
import { WithdrawalsRepository } from './withdrawals.repository.js';
import type {
  Actor,
  AdminWithdrawal,
  CheckedPayment,
  EnteredPayment,
  PaymentSearch,
  TransitionChanges,
} from './withdrawals.types.js';

type RunTransaction = <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;
/** Uses up the step-up of the completion. */
type TakeStepUp = (tx: Tx) => Promise<void>;

const NOT_SEARCHED: PaymentSearch = { found: null, searched: null };

/** Completes and rejects withdrawals. A completion or rejection that contradicts the chain waits for a second admin. */
@Injectable()
export class WithdrawalOutcomesService implements OnModuleInit {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly adminWithdrawals: AdminWithdrawalsRepository,
    private readonly withdrawals: WithdrawalsRepository,
    private readonly transitions: WithdrawalTransitionsService,
    private readonly payments: WithdrawalPaymentsService,
    private readonly approvals: ApprovalsService,
    private readonly handlers: ApprovalHandlersService,
    private readonly fourEyes: FourEyesService,
  ) {}

  onModuleInit(): void {
    const permission = 'withdrawals:approve';
    this.handlers.registerChange({
      kind: 'withdrawal.complete-mismatch',
      permission,
      prepareChange: (change) => this.prepareCompletion(change),
    });
    this.handlers.registerChange({
      kind: 'withdrawal.reject-paid',
      permission,
      prepareChange: (change) => this.prepareRejection(change),
    });
  }

  /**
   * Completes a withdrawal with the hash of an operator's transfer, and stores its chain check; with FOUR_EYES requests this if
   * the chain contradicts the payment. Throws DUPLICATE_TX_HASH for a hash that is recorded already, unless sharing is allowed;
   * INVALID_STATE for a failed withdrawal whose payment the chain does not show or whose amount was released; STEP_UP_REQUIRED.
   */
  async completeWithdrawal(
    id: string,
    entered: EnteredPayment,
    admin: AdminPrincipal,
    requireStepUp: StepUpCheck,
  ): Promise<AdminWithdrawal | RequestedApproval> {
    const payment = await this.payments.lookUpPayment(entered);
    const stepUp = (tx: Tx) => requireStepUp(tx, { id, txHash: payment.txHash });
    const run: RunTransaction = (work) => this.unitOfWork.runInTransaction(work);
    return this.completeOrRequest(id, payment, admin, { run, stepUp });
  }

  /** As `completeWithdrawal`, with a payment that is looked up, in transactions of its own and without a step-up. */
  completeSeparately(
    id: string,
    payment: CheckedPayment,
    admin: AdminPrincipal,
  ): Promise<AdminWithdrawal | RequestedApproval> {
    const run: RunTransaction = (work) => this.unitOfWork.runInNewTransaction(work);
    return this.completeOrRequest(id, payment, admin, { run });
  }

  private async completeOrRequest(
    id: string,
    payment: CheckedPayment,
    admin: AdminPrincipal,
    { run, stepUp }: { run: RunTransaction; stepUp?: TakeStepUp },
  ): Promise<AdminWithdrawal | RequestedApproval> {
    try {
      return await run((tx) => this.complete(tx, id, payment, admin, { stepUp }));
    } catch (error) {
      if (!(error instanceof ContradictedCompletion)) throw error;
      const { withdrawal, reason: chainCheckReason } = error;
      const { txHash, note, allowSharedTxHash } = payment;
      const request: ChangeRequest = {
        kind: 'withdrawal.complete-mismatch',
        subject: approvalSubjectOf(withdrawal),
        before: { status: withdrawal.status },
        after: {
          status: 'completed',
          txHash,
          chainCheck: 'mismatch',
          chainCheckReason,
          allowSharedTxHash: allowSharedTxHash ?? false,
        },
        input: { note },
        reason: note ?? null,
      };
      return run(async (tx) => {
        await stepUp?.(tx);
        return this.approvals.requestChange(tx, request, admin);
      });
    }
  }

  /**
   * Rejects a withdrawal. With FOUR_EYES a second admin approves this if the chain shows a payment, or if an operator has taken the
   * withdrawal, now or before a return, and the chain cannot be searched. With FOUR_EYES=off the rejection of a taken one needs a step-up.
   * Throws WITHDRAWAL_NOT_FOUND, STEP_UP_REQUIRED, and INVALID_STATE also if the withdrawal has changed during the search.
   */
  async rejectWithdrawal(
    id: string,
    reason: string,
    admin: AdminPrincipal,
    requireStepUp: StepUpCheck,
  ): Promise<AdminWithdrawal | RequestedApproval> {
    const search = await this.searchBeforeRejection(id);
    return this.unitOfWork.runInTransaction((tx) =>
      this.rejectOrRequest(tx, id, reason, search, admin, requireStepUp),
    );
  }

  /** As `rejectWithdrawal`, with the result of `searchBeforeRejection`, in a transaction of its own. */
  rejectSeparately(
    id: string,
    reason: string,
    search: PaymentSearch,
    admin: AdminPrincipal,
    requireStepUp: StepUpCheck,
  ): Promise<AdminWithdrawal | RequestedApproval> {
    return this.unitOfWork.runInNewTransaction((tx) =>
      this.rejectOrRequest(tx, id, reason, search, admin, requireStepUp),
    );
  }

  /** Searches the chain for a payment of the withdrawal, except with FOUR_EYES=off. Not called inside a transaction. */
  async searchBeforeRejection(id: string): Promise<PaymentSearch> {
    return this.fourEyes.isOn ? this.payments.findPaymentSinceRequest(id) : NOT_SEARCHED;
  }

  private async rejectOrRequest(
    tx: Tx,
    id: string,
    reason: string,
    { found, searched }: PaymentSearch,
    admin: AdminPrincipal,
    requireStepUp: StepUpCheck,
  ): Promise<AdminWithdrawal | RequestedApproval> {
    const reject = () => this.reject(tx, id, reason, admin, searched);
    if (found === null && this.fourEyes.isOn) return reject();
    const withdrawal = await this.withdrawals.lockWithdrawal(tx, id);
    const wasTaken = withdrawal.status === 'processing' || (await this.withdrawals.wasReturned(tx, id));
    if (found === null) {
      if (wasTaken) await requireStepUp(tx, { id }); // it may have been paid, and the chain was not searched
      return reject();
    }
    WITHDRAWAL_STATES.requireAllowed(withdrawal.status, 'reject');
    requireUnchanged(withdrawal, searched, 'reject');
    if (found === 'unreachable' && !wasTaken) return reject();
    const request: ChangeRequest = {
      kind: 'withdrawal.reject-paid',
      subject: approvalSubjectOf(withdrawal),
      before: { status: withdrawal.status },
      after: { status: 'rejected', payment: paymentFieldsOf(found) },
      input: {},
      reason,
    };
    return this.approvals.requestChange(tx, request, admin);
  }

  /** Makes what the approver has read: the hash and the contradiction are those of `after`. */
  private async prepareCompletion({ subject, after, input }: PendingChange): Promise<MakeChange> {
    const { txHash, allowSharedTxHash, chainCheckReason } = after;
    const entered = { ...input, txHash, allowSharedTxHash } as unknown as EnteredPayment;
    const payment = await this.payments.lookUpPayment(entered);
    return (tx, by) => this.complete(tx, subject.id, payment, by, { approvedReason: chainCheckReason });
  }

  private async prepareRejection({ subject, after, reason }: PendingChange): Promise<MakeChange> {
    const { found: payment, searched } = await this.payments.findPaymentSinceRequest(subject.id);
    if (payment === 'unreachable' && after.payment !== 'unreachable')
      throwError('SERVICE_UNAVAILABLE', undefined, {
        message: 'The chain cannot be searched now. Try again shortly.',
      });
    const found = payment === 'unreachable' ? null : payment;
    return async (tx, by) => {
      if (found && !isDeepStrictEqual(paymentFieldsOf(found), after.payment))
        failChanged('The chain shows another payment than at the request.', 'reject');
      await this.reject(tx, subject.id, reason ?? '', by, searched);
      if (!found) return;
      const rejected = await this.withdrawals.lockWithdrawal(tx, subject.id);
      await this.payments.reportLatePayment(tx, rejected, found);
    };
  }

  private async complete(
    tx: Tx,
    id: string,
    payment: CheckedPayment,
    by: AuditActor,
    { approvedReason, stepUp }: { approvedReason?: unknown; stepUp?: TakeStepUp | undefined },
  ): Promise<AdminWithdrawal> {
    let hadFailed = false;
    const [completed, [owner]] = await this.transitions.applyTransition(
      tx,
      id,
      { verb: 'complete', by: actorOf(by) },
      (withdrawal, at, [{ userEmail }, recorded]) => {
        this.fourEyes.refuseOwnMoney(userEmail, by.email);
        const changes = this.payments.completionChanges(withdrawal, payment, at, recorded);
        requireShownOnChain(withdrawal, changes.chainCheck);
        this.requireApproved(withdrawal, changes, by, approvedReason);
        hadFailed = isUnpayable(withdrawal);
        return changes;
      },
      () =>
        all(this.adminWithdrawals.getOwner(tx, id), this.payments.lockPayment(tx, id, payment), stepUp?.(tx)),
    );
    // The completion records this payment; an alert about another one stays open.
    if (hadFailed) await this.payments.resolveLatePayment(tx, id, payment.txHash);
    await this.payments.announceVerdict(tx, completed, payment.lookup);
    return { ...completed, ...owner };
  }

  /** A completion that the chain contradicts needs an approval, for the same contradiction. */
  private requireApproved(
    withdrawal: Withdrawal,
    { chainCheck, chainCheckReason: reason = null }: TransitionChanges,
    { approvedBy }: AuditActor,
    approvedReason: unknown,
  ): void {
    if (chainCheck !== 'mismatch' || !this.fourEyes.isOn) return;
    if (!approvedBy) throw new ContradictedCompletion(withdrawal, reason);
    if (reason !== approvedReason)
      failChanged('The chain contradicts the payment for another reason than at the request.', 'complete');
  }

  private async reject(
    tx: Tx,
    id: string,
    reason: string,
    by: AuditActor,
    searched: PaymentSearch['searched'],
  ): Promise<AdminWithdrawal> {
    const [rejected, owner] = await this.transitions.applyTransition(
      tx,
      id,
      { verb: 'reject', by: actorOf(by) },
      (withdrawal) => {
        requireUnchanged(withdrawal, searched, 'reject');
        return { note: reason };
      },
      () => this.adminWithdrawals.getOwner(tx, id),
    );
    return { ...rejected, ...owner };
  }
}

function failChanged(message: string, action: string): never {
  throwError('INVALID_STATE', { status: null, action, allowedFrom: [] }, { message });
}

function actorOf({ email, approvedBy }: AuditActor): Actor {
  return { type: 'admin', id: email, approvedBy };
}

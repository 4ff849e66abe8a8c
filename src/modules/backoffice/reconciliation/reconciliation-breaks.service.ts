import { Injectable, type OnModuleInit } from '@nestjs/common';
import { UnitOfWork } from '../../../database/unit-of-work.js';
import { permits } from '../../../http/auth/permissions.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import { Clock } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { AdminDirectoryService } from '../../identity/admins/admin-directory.service.js';
import { ApprovalHandlersService } from '../../identity/approvals/approval-handlers.service.js';
import { FourEyesService } from '../../identity/approvals/four-eyes.service.js';
import { AuditService } from '../../core/audit/audit.service.js';
import { BREAK_STATES, type BreakVerb } from './domain/comparison.js';
import type { ReconciliationLine } from './entities/reconciliation.entity.js';
import type { BreakState } from './reconciliation.types.js';
import { ReconciliationsRepository } from './reconciliations.repository.js';

/** A break without owner and without resolution. */
const UNASSIGNED: Omit<BreakState, 'status'> = {
  owner: null,
  resolution: null,
  note: null,
  proposedBy: null,
  proposedAt: null,
  resolvedBy: null,
  resolvedAt: null,
};

/** Computes the columns that a transition changes; throws to refuse the transition. */
type Decide = (line: BreakState, at: Date) => Partial<BreakState>;

/** The resolution of breaks by two admins. */
@Injectable()
export class ReconciliationBreaksService implements OnModuleInit {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly admins: AdminDirectoryService,
    private readonly repository: ReconciliationsRepository,
    private readonly audit: AuditService,
    private readonly fourEyes: FourEyesService,
    private readonly handlers: ApprovalHandlersService,
  ) {}

  onModuleInit(): void {
    this.handlers.registerRecord({
      kind: 'break',
      permission: 'transactions:write',
      approveRecord: (id, admin, { requireStepUp, requestedAt }) =>
        this.confirm(id, admin, requireStepUp, requestedAt),
      rejectRecord: (id, reason, admin) => this.reopen(id, reason, admin),
    });
  }

  /** Assigning to the present owner changes nothing. Throws VALIDATION_ERROR for an owner who may not resolve breaks. */
  async assign(id: string, email: string, admin: AdminPrincipal): Promise<ReconciliationLine> {
    const owner = this.admins.findAdminByEmail(email);
    if (owner?.status !== 'active' || !permits(owner.permissions, 'transactions:write'))
      throwError('VALIDATION_ERROR', [
        { field: 'owner', message: 'must be an admin who may resolve breaks' },
      ]);
    return this.transition(id, 'assign', admin, () => ({ owner: owner.email }));
  }

  async propose(
    id: string,
    { resolution, note }: { resolution: string; note: string },
    admin: AdminPrincipal,
  ): Promise<ReconciliationLine> {
    return this.transition(id, 'propose', admin, (_, at) => ({
      resolution,
      note,
      proposedBy: admin.email,
      proposedAt: at,
    }));
  }

  /**
   * Throws FOUR_EYES_REQUIRED unless the admin can be the second person beside the one who proposed the resolution, and INVALID_STATE
   * if it was not proposed at `requestedAt`: the admin has read another proposal.
   */
  async confirm(
    id: string,
    admin: AdminPrincipal,
    requireStepUp: StepUpCheck,
    requestedAt?: string,
  ): Promise<ReconciliationLine> {
    const facts = await this.fourEyes.getAccountFacts();
    const decide: Decide = ({ status, proposedBy, proposedAt }, at) => {
      if (requestedAt && proposedAt?.getTime() !== new Date(requestedAt).getTime())
        throwError('INVALID_STATE', { status, action: 'confirm', allowedFrom: [] });
      this.fourEyes.checkSecondPerson(facts, proposedBy, admin.email);
      return { resolvedBy: admin.email, resolvedAt: at };
    };
    return this.transition(id, 'confirm', admin, decide, { requireStepUp });
  }

  /** Removes owner and resolution; the audit log keeps them. */
  async reopen(id: string, reason: string, admin: AdminPrincipal): Promise<ReconciliationLine> {
    return this.transition(id, 'reopen', admin, () => UNASSIGNED, { reason });
  }

  /** The row lock serialises concurrent transitions: the second one starts from the status that the first one has set. */
  private async transition(
    id: string,
    verb: BreakVerb,
    admin: AdminPrincipal,
    decide: Decide,
    { reason, requireStepUp }: { reason?: string; requireStepUp?: StepUpCheck } = {},
  ): Promise<ReconciliationLine> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      await requireStepUp?.(tx, { id });
      const line = await this.repository.lockBreak(tx, id);
      const status = BREAK_STATES.next(line.status, verb);
      const decided: Partial<BreakState> = { ...decide(line, this.clock.now()), status };
      const changed = (Object.keys(decided) as (keyof BreakState)[]).filter(
        (field) => decided[field] !== line[field],
      );
      if (changed.length === 0) return line;
      this.repository.updateBreak(tx, id, pick(decided, changed));
      await this.audit.record(tx, admin, {
        action: `reconciliation-break.${verb}`,
        subject: { type: 'reconciliation-break', id },
        reason,
        before: pick(line, changed),
        after: pick(decided, changed),
      });
      return { ...line, ...decided };
    });
  }
}

function pick(state: Partial<BreakState>, fields: readonly (keyof BreakState)[]): Partial<BreakState> {
  return Object.fromEntries(fields.map((field) => [field, state[field]]));
}

import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { permits } from '../../http/auth/permissions.js';
import type { AdminPrincipal } from '../../http/auth/principal.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import { AuditService } from '../audit/audit.service.js';
import { BREAK_STATES, type BreakVerb } from './domain/break.state-machine.js';
import { ReconciliationQueries, type ReconciliationLine } from './reconciliations.queries.js';
import { ReconciliationRecords, type BreakFacts, type LockedBreak } from './reconciliation.records.js';

const NOTHING: BreakFacts = {
  owner: null,
  resolution: null,
  note: null,
  proposedBy: null,
  proposedAt: null,
  resolvedBy: null,
  resolvedAt: null,
};

/** What a verb says anew of a break. */
type Decide = (found: LockedBreak, at: Date) => Partial<BreakFacts>;

/** How admins clear up what did not match. */
@Injectable()
export class ReconciliationBreaksService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly admins: AdminDirectoryService,
    private readonly records: ReconciliationRecords,
    private readonly queries: ReconciliationQueries,
    private readonly audit: AuditService,
  ) {}

  /** Whose it is already stays so. Throws VALIDATION_ERROR for an owner who could not resolve it. */
  async assign(id: string, given: string, admin: AdminPrincipal): Promise<ReconciliationLine> {
    const owner = this.admins.byEmail(given);
    if (owner?.status !== 'active' || !permits(owner.permissions, 'transactions:write'))
      fail('VALIDATION_ERROR', [{ field: 'owner', message: 'must be an admin who may resolve breaks' }]);
    return this.act(id, 'assign', admin, () => ({ owner: owner.email }));
  }

  async propose(
    id: string,
    { resolution, note }: { resolution: string; note: string },
    admin: AdminPrincipal,
  ): Promise<ReconciliationLine> {
    return this.act(id, 'propose', admin, (_, at) => ({
      resolution,
      note,
      proposedBy: admin.email,
      proposedAt: at,
    }));
  }

  /** Throws FOUR_EYES_REQUIRED for whoever proposed it. */
  async confirm(id: string, admin: AdminPrincipal): Promise<ReconciliationLine> {
    return this.act(id, 'confirm', admin, ({ proposedBy }, at) => {
      if (proposedBy === admin.email) fail('FOUR_EYES_REQUIRED');
      return { resolvedBy: admin.email, resolvedAt: at };
    });
  }

  /** Back to the beginning; what was said of it before stays in the audit log. */
  async reopen(id: string, reason: string, admin: AdminPrincipal): Promise<ReconciliationLine> {
    return this.act(id, 'reopen', admin, () => NOTHING, reason);
  }

  /** One transition: lock, ask the table, decide, write, record. Of two that come at once the second is refused. */
  private async act(
    id: string,
    verb: BreakVerb,
    admin: AdminPrincipal,
    decide: Decide,
    reason?: string,
  ): Promise<ReconciliationLine> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const found = await this.records.lockBreak(tx, id);
      const status = BREAK_STATES.next(found.status, verb);
      const facts: LockedBreak = { ...found, ...decide(found, this.clock.now()), status };
      const changed = (Object.keys(facts) as (keyof LockedBreak)[]).filter(
        (field) => facts[field] !== found[field],
      );
      if (changed.length > 0) {
        await this.records.moveBreak(tx, id, status, facts);
        await this.audit.record(tx, admin, {
          action: `reconciliation-break.${verb}`,
          subject: { type: 'reconciliation-break', id },
          reason,
          before: pick(found, changed),
          after: pick(facts, changed),
        });
      }
      return this.queries.line(id, tx);
    });
  }
}

function pick(facts: LockedBreak, fields: readonly (keyof LockedBreak)[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, facts[field]]));
}

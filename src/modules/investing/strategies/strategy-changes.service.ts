import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { Money } from '../../../common/money.js';
import { AuditService } from '../../core/audit/audit.service.js';
import type { Strategy } from './entities/strategy.entity.js';
import type { ChangeStrategyRequest } from './dto/strategies.request.js';
import { StrategiesService } from './strategies.service.js';
import type { ListedStrategy } from './strategies.types.js';

/** A recorded change request and the strategy, which it does not change. */
export interface RequestedChange {
  readonly requested: Partial<ChangeStrategyRequest>;
  readonly strategy: ListedStrategy;
}

const CHANGEABLE = ['name', 'description', 'riskLevel', 'apy', 'minAmount', 'maxAmount', 'isActive'] as const;

/** Records the changes that admins request. */
@Injectable()
export class StrategyChangesService {
  constructor(
    private readonly strategies: StrategiesService,
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditService,
  ) {}

  /**
   * Writes the request to the audit log. Strategies are set by configuration, so the strategy itself stays as it is. Throws
   * STRATEGY_NOT_FOUND, and VALIDATION_ERROR without a field or for a smallest investment above the largest.
   */
  async requestChange(
    id: string,
    request: ChangeStrategyRequest,
    admin: AdminPrincipal,
  ): Promise<RequestedChange> {
    const listed = this.strategies.findListedStrategy(id) ?? throwError('STRATEGY_NOT_FOUND');
    const strategy = { ...listed, suspended: this.strategies.isSuspended(id) };
    const fields = CHANGEABLE.filter((field) => request[field] !== undefined && request[field] !== null);
    if (fields.length === 0)
      throwError(
        'VALIDATION_ERROR',
        CHANGEABLE.map((field) => ({ field, message: 'one of these must be given' })),
      );
    requireMinimumBelowMaximum(strategy, request);
    const current = changeableFieldsOf(strategy);
    const requested = Object.fromEntries(fields.map((field) => [field, request[field]]));
    await this.unitOfWork.runInTransaction((tx) =>
      this.audit.record(tx, admin, {
        action: 'strategy.request-change',
        subject: { type: 'strategy', id },
        before: Object.fromEntries(fields.map((field) => [field, current[field]])),
        after: { applied: false, requested },
      }),
    );
    return { requested, strategy };
  }
}

function changeableFieldsOf(strategy: ListedStrategy): Required<ChangeStrategyRequest> {
  return {
    name: strategy.name,
    description: strategy.description,
    riskLevel: strategy.riskLevel,
    apy: strategy.apy.toWire(),
    minAmount: strategy.minimum.toWire(),
    maxAmount: strategy.maximum.toWire(),
    isActive: !strategy.suspended,
  };
}

function requireMinimumBelowMaximum(
  strategy: Strategy,
  { minAmount, maxAmount }: ChangeStrategyRequest,
): void {
  const minimum = minAmount ? Money.of(minAmount) : strategy.minimum;
  const maximum = maxAmount ? Money.of(maxAmount) : strategy.maximum;
  if (!maximum.isLessThan(minimum)) return;
  const field = minAmount ? 'minAmount' : 'maxAmount';
  throwError('VALIDATION_ERROR', [
    { field, message: 'the smallest investment must not be above the largest' },
  ]);
}

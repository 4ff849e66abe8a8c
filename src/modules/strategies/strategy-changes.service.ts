import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../http/auth/principal.js';
import { fail } from '../../common/errors/domain-error.js';
import { Money } from '../../common/money.js';
import { AuditService } from '../audit/audit.service.js';
import {
  toAdminStrategyResponse,
  type AdminStrategyResponse,
  type StrategyChangeResponse,
} from './dto/admin-strategy.response.js';
import type { Strategy } from './domain/catalogue.js';
import { CHANGEABLE, type ChangeStrategyRequest } from './dto/strategies.request.js';
import { StrategiesService } from './strategies.service.js';

/** The admins' view of the strategies, and the changes that they ask for. */
@Injectable()
export class StrategyChangesService {
  constructor(
    private readonly strategies: StrategiesService,
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditService,
  ) {}

  list(): AdminStrategyResponse[] {
    return this.strategies.all.map((strategy) => this.viewOf(strategy));
  }

  /**
   * Records what an admin wants a strategy to be. Strategies are set by configuration: nothing about the strategy
   * changes, and the answer says so. Throws STRATEGY_NOT_FOUND, VALIDATION_ERROR.
   */
  async request(
    id: string,
    wish: ChangeStrategyRequest,
    admin: AdminPrincipal,
  ): Promise<StrategyChangeResponse> {
    const strategy = this.strategies.find(id) ?? fail('STRATEGY_NOT_FOUND');
    const fields = CHANGEABLE.filter((field) => wish[field] !== undefined && wish[field] !== null);
    if (fields.length === 0)
      fail(
        'VALIDATION_ERROR',
        CHANGEABLE.map((field) => ({ field, message: 'one of these must be given' })),
      );
    requireOrder(strategy, wish);
    const view = this.viewOf(strategy);
    const requested = Object.fromEntries(fields.map((field) => [field, wish[field]]));
    await this.unitOfWork.runInTransaction((tx) =>
      this.audit.record(tx, admin, {
        action: 'strategy.request-change',
        subject: { type: 'strategy', id },
        before: Object.fromEntries(fields.map((field) => [field, view[field]])),
        after: { applied: false, requested },
      }),
    );
    return { applied: false, requested, strategy: view };
  }

  private viewOf(strategy: Strategy): AdminStrategyResponse {
    return toAdminStrategyResponse(strategy, this.strategies.isSuspended(strategy.id));
  }
}

function requireOrder(strategy: Strategy, { minAmount, maxAmount }: ChangeStrategyRequest): void {
  const minimum = minAmount ? Money.of(minAmount) : strategy.minimum;
  const maximum = maxAmount ? Money.of(maxAmount) : strategy.maximum;
  if (!maximum.isLessThan(minimum)) return;
  const field = minAmount ? 'minAmount' : 'maxAmount';
  fail('VALIDATION_ERROR', [{ field, message: 'the smallest investment must not be above the largest' }]);
}

import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { Money } from '../../../common/money.js';
import { AppConfig, ConfigError } from '../../../config/app-config.js';
import { defaultStrategies, type StrategyDefinition } from '../../../config/strategies-file.js';
import { UnitOfWork } from '../../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import { AuditService } from '../../core/audit/audit.service.js';
import { targetAfterStart } from './domain/apy.js';
import type { ChangeStrategyRequest } from './dto/strategies.request.js';
import type { Strategy } from './entities/strategy.entity.js';
import { StrategiesRepository } from './strategies.repository.js';
import type { ListedStrategy, StrategyState } from './strategies.types.js';

/** The strategies of STRATEGIES_FILE, and strategies that were removed from it. */
@Injectable()
export class StrategiesService implements OnModuleInit {
  private readonly log = new Logger('Strategies');
  private readonly definitions: readonly StrategyDefinition[];
  private strategies: readonly Strategy[];

  constructor(
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly unitOfWork: UnitOfWork,
    private readonly repository: StrategiesRepository,
  ) {
    this.definitions = config.STRATEGIES_FILE ?? defaultStrategies();
    this.strategies = this.definitions.map((definition, position) =>
      this.toStrategy(definition, position, undefined),
    );
  }

  /**
   * Stores the file in the table `strategy`. A changed APY counts from the next day on. Throws a ConfigError for
   * a strategy that is missing from the file and has open investments.
   */
  async onModuleInit(): Promise<void> {
    await this.requireStrategiesOfOpenInvestments();
    const stored = await this.repository.findStrategies();
    const storedOf = (id: string) => stored.find((strategy) => strategy.id === id);
    const listed = this.definitions.map((definition, position) =>
      this.toStrategy(definition, position, storedOf(definition.id)),
    );
    const removed = stored
      .filter(({ id }) => !listed.some((strategy) => strategy.id === id))
      .map((strategy) => ({ ...strategy, removedAt: strategy.removedAt ?? this.clock.now() }));
    this.strategies = [...listed, ...removed];
    const changed = this.strategies.filter((strategy) => !hasSameContent(strategy, storedOf(strategy.id)));
    if (changed.length === 0) return;
    await this.unitOfWork.runInNewTransaction((tx) => this.repository.upsertStrategies(tx, changed));
    for (const { id, apy, removedAt } of changed)
      this.log.log({ msg: 'a strategy has changed', strategyId: id, apy: apy.toString(), removedAt });
  }

  /** In the order of the file. Removed strategies come last: they keep their last NAV and count as suspended. */
  get all(): readonly Strategy[] {
    return this.strategies;
  }

  /** The protocols of all strategies, removed ones included. */
  protocolNames(): string[] {
    return [...new Set(this.strategies.flatMap(({ protocols }) => protocols.map(({ name }) => name)))];
  }

  /** Undefined for an unknown or a removed strategy. */
  findListedStrategy(id: string): Strategy | undefined {
    return this.strategies.find((strategy) => strategy.id === id && strategy.removedAt === null);
  }

  /** A strategy whose id is stored in the database. */
  getStrategy(id: string): Strategy {
    const strategy = this.strategies.find((candidate) => candidate.id === id);
    if (!strategy)
      throw new Error(`strategy ${id} was neither in STRATEGIES_FILE nor in the table strategy at the start`);
    return strategy;
  }

  /** The state of a strategy whose id is stored in the database. */
  getState(id: string): StrategyState {
    return { strategy: this.getStrategy(id), suspended: this.isSuspended(id) };
  }

  isSuspended(id: string): boolean {
    return this.config.SUSPENDED_STRATEGIES.includes(id) || !this.findListedStrategy(id);
  }

  suspendedIds(): string[] {
    return this.strategies.filter(({ id }) => this.isSuspended(id)).map(({ id }) => id);
  }

  /** The strategies of the file. */
  listStrategies(): ListedStrategy[] {
    return this.strategies
      .filter(({ removedAt }) => removedAt === null)
      .map((strategy) => ({ ...strategy, suspended: this.isSuspended(strategy.id) }));
  }

  /** Throws STRATEGY_NOT_FOUND, and VALIDATION_ERROR for a blank id. */
  getListedStrategy(id: string): ListedStrategy {
    if (!id.trim()) throwError('VALIDATION_ERROR', [{ field: 'id', message: 'must not be blank' }]);
    const strategy = this.findListedStrategy(id) ?? throwError('STRATEGY_NOT_FOUND');
    return { ...strategy, suspended: this.isSuspended(id) };
  }

  private toStrategy(
    definition: StrategyDefinition,
    position: number,
    stored: Strategy | undefined,
  ): Strategy {
    const now = this.clock.now();
    const createdAt = stored?.createdAt ?? now;
    const target = targetAfterStart(definition.apy, stored, this.clock.today());
    const strategy = { ...definition, ...target, position, createdAt, updatedAt: now, removedAt: null };
    return stored && hasSameContent(strategy, stored)
      ? { ...strategy, updatedAt: stored.updatedAt }
      : strategy;
  }

  private async requireStrategiesOfOpenInvestments(): Promise<void> {
    const ids = this.definitions.map(({ id }) => id);
    const missing = await this.repository.countOpenInvestmentsOfOtherStrategies(ids);
    if (missing.length === 0) return;
    throw new ConfigError(
      missing.map(
        ({ strategyId, count }) =>
          `STRATEGIES_FILE: the strategy "${strategyId}" is missing, and ${count} investment(s) in it are open. ` +
          'Add the strategy again; remove it after these investments are closed.',
      ),
    );
  }
}

/** Compares what STRATEGIES_FILE sets, and whether the strategy is removed. */
function hasSameContent(strategy: Strategy, stored: Strategy | undefined): boolean {
  return stored !== undefined && contentOf(strategy) === contentOf(stored);
}

function contentOf(strategy: Strategy): string {
  const { position, name, description, riskLevel, apy, minimum, maximum, protocols, removedAt } = strategy;
  const weights = protocols.map((protocol) => [protocol.name, protocol.weight.toString()]);
  const amounts = [apy, minimum, maximum].map(String);
  return JSON.stringify([position, name, description, riskLevel, amounts, weights, removedAt !== null]);
}

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

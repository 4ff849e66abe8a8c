import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { fail } from '../../common/errors/domain-error.js';
import { CATALOGUE, type Strategy } from './domain/catalogue.js';

export interface ListedStrategy extends Strategy {
  readonly suspended: boolean;
}

/** The strategies of the catalogue, and which of them are suspended by configuration. */
@Injectable()
export class StrategiesService {
  readonly all = CATALOGUE;

  constructor(private readonly config: AppConfig) {}

  find(id: string): Strategy | undefined {
    return CATALOGUE.find((strategy) => strategy.id === id);
  }

  /** A strategy whose id is stored in the database. */
  get(id: string): Strategy {
    const strategy = this.find(id);
    if (!strategy) throw new Error(`strategy ${id} is recorded but not in the catalogue`);
    return strategy;
  }

  isSuspended(id: string): boolean {
    return this.config.SUSPENDED_STRATEGIES.includes(id);
  }

  suspendedIds(): string[] {
    return this.config.SUSPENDED_STRATEGIES;
  }

  list(): ListedStrategy[] {
    return this.all.map((strategy) => ({ ...strategy, suspended: this.isSuspended(strategy.id) }));
  }

  /** Throws STRATEGY_NOT_FOUND, and VALIDATION_ERROR for a blank id. */
  detail(id: string): ListedStrategy {
    if (!id.trim()) fail('VALIDATION_ERROR', [{ field: 'id', message: 'must not be blank' }]);
    const strategy = this.find(id) ?? fail('STRATEGY_NOT_FOUND');
    return { ...strategy, suspended: this.isSuspended(id) };
  }
}

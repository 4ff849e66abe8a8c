import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { CATALOGUE, type Strategy } from './domain/catalogue.js';

/** The strategies, and which of them are suspended. */
@Injectable()
export class StrategiesService {
  readonly all = CATALOGUE;

  constructor(private readonly config: AppConfig) {}

  find(id: string): Strategy | undefined {
    return CATALOGUE.find((strategy) => strategy.id === id);
  }

  /** A strategy whose id comes from our own records. */
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
}

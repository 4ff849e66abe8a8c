import { Injectable } from '@nestjs/common';
import { HealthCheckService, type HealthCheckResult } from '@nestjs/terminus';
import type { ComponentHealth, ComponentName } from './domain/component-health.js';
import { HealthIndicators } from './health.indicator.js';

const READY_TIMEOUT_MS = 2000; // of the check of the database

// Of the check of one component.
const STANDARD_TIMEOUT_MS = 5000;
const COMPREHENSIVE_TIMEOUT_MS = 10_000;

@Injectable()
export class HealthService {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicators,
  ) {}

  isLive(): Promise<boolean> {
    return this.isUp(this.indicators.liveIndicators());
  }

  isReady(): Promise<boolean> {
    return this.isUp(this.indicators.readyIndicators(READY_TIMEOUT_MS));
  }

  async checkComponents(depth: 'standard' | 'comprehensive'): Promise<ComponentHealth[]> {
    const timeoutMs = depth === 'standard' ? STANDARD_TIMEOUT_MS : COMPREHENSIVE_TIMEOUT_MS;
    const { details } = await this.check(this.indicators.componentIndicators(timeoutMs));
    return Object.values(details).map(({ health }) => health as ComponentHealth);
  }

  async checkComponent(name: ComponentName): Promise<ComponentHealth> {
    const { details } = await this.check([this.indicators.componentIndicator(name, STANDARD_TIMEOUT_MS)]);
    return details[name]?.health as ComponentHealth;
  }

  /** True if no indicator is down. Ignores Terminus's own status, which reports a shutdown although the process is live. */
  private async isUp(indicators: Parameters<HealthCheckService['check']>[0]): Promise<boolean> {
    const { error } = await this.check(indicators);
    return Object.keys(error ?? {}).length === 0;
  }

  /** If an indicator is down, Terminus throws an error that contains the result; this method returns that result. */
  private check(indicators: Parameters<HealthCheckService['check']>[0]): Promise<HealthCheckResult> {
    return this.health.check(indicators).catch((error: unknown) => {
      const { getResponse } = error as { getResponse?: () => HealthCheckResult };
      if (getResponse) return getResponse.call(error);
      throw error;
    });
  }
}

import { Injectable, Logger } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { AppConfig } from '../../config/app-config.js';
import { Clock } from '../../kernel/clock.js';
import { DomainError } from '../../kernel/errors/domain-error.js';
import { COMPONENTS, type ComponentHealth, type ComponentName, type Finding } from './finding.js';
import { Looks } from './looks.js';

const REMEMBERED_MS = 2000; // however often probes ask, a provider is asked no more often than this

type Attempt = HealthIndicatorResult[string] & {
  finding?: Finding;
  message?: string;
  responseTime: number;
};

/** Looks at components, each within a time and side by side. Never throws. */
@Injectable()
export class HealthChecks {
  private readonly log = new Logger('Health');

  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly looks: Looks,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {}

  all(withinMs: number): Promise<ComponentHealth[]> {
    const present = COMPONENTS.filter(
      (component) => component !== 'screening-provider' || this.config.SCREENING_URL !== undefined,
    );
    return Promise.all(present.map((component) => this.one(component, withinMs)));
  }

  async one(component: ComponentName, withinMs: number): Promise<ComponentHealth> {
    const result = await this.indicators
      .check(component)
      .attempt(async () => ({ finding: await this.look(component) }))
      .withTimeout(withinMs)
      .cacheFor(REMEMBERED_MS);
    const { finding, message, responseTime } = result[component] as Attempt;
    return {
      component,
      status: finding ? (finding.concern ? 'degraded' : 'healthy') : 'unhealthy',
      message: finding ? (finding.concern ?? 'answers') : (message ?? 'does not answer'),
      latencyMs: responseTime,
      details: finding?.details ?? {},
      lastChecked: this.clock.now(),
    };
  }

  /** The log has the cause of a failure; everybody else gets a sentence. */
  private async look(component: ComponentName): Promise<Finding> {
    try {
      return await this.looks.at(component);
    } catch (error) {
      this.log.warn({ msg: `${component} does not answer`, err: error });
      throw new Error(error instanceof DomainError ? error.message : 'does not answer', { cause: error });
    }
  }
}

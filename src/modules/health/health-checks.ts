import { Injectable, Logger } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import { Clock } from '../../kernel/clock.js';
import { DomainError } from '../../kernel/errors/domain-error.js';
import { COMPONENTS, statusWithout, type ComponentHealth, type ComponentName, type Finding } from './finding.js';
import { Looks } from './looks.js';

const REMEMBERED_MS = 2000; // however often probes ask, a provider is asked no more often than this

/** Looks at components, each within a time and side by side. Never throws. */
@Injectable()
export class HealthChecks {
  private readonly log = new Logger('Health');

  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly looks: Looks,
    private readonly clock: Clock,
  ) {}

  all(withinMs: number): Promise<ComponentHealth[]> {
    return Promise.all(COMPONENTS.map((component) => this.one(component, withinMs)));
  }

  async one(component: ComponentName, withinMs: number): Promise<ComponentHealth> {
    const { [component]: result } = await this.indicators
      .check(component)
      .attempt(async () => ({ finding: await this.looks.at(component).catch((error: unknown) => this.say(component, error)) }))
      .withTimeout(withinMs)
      .cacheFor(REMEMBERED_MS);
    const { finding, message, responseTime } = result as {
      finding?: Finding;
      message?: string;
      responseTime: number;
    };
    return {
      component,
      status: finding ? (finding.concern ? 'degraded' : 'healthy') : statusWithout(component),
      message: finding ? (finding.concern ?? 'answers') : (message ?? 'does not answer'),
      latencyMs: responseTime,
      details: finding?.details ?? {},
      lastChecked: this.clock.now(),
    };
  }

  /** The log has the cause; everybody else gets a sentence. */
  private say(component: ComponentName, error: unknown): never {
    this.log.warn({ msg: `${component} does not answer`, err: error });
    throw new Error(error instanceof DomainError ? error.code : 'does not answer', { cause: error });
  }
}

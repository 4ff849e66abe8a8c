import { Controller, Get, Res } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import type { Response } from 'express';
import { DatabaseClock } from '../../database/database-clock.js';
import { DatabaseProbe } from '../../database/database-probe.js';
import { PublicRoute } from '../../http/auth/route.js';
import { Answer } from '../../http/envelope/answer.js';
import { Drain } from '../../http/lifecycle/drain.js';
import { Clock } from '../../kernel/clock.js';
import { overall, type ComponentName, type HealthStatus } from './finding.js';
import { HealthChecks } from './health-checks.js';
import {
  ComponentView,
  componentView,
  DetailedHealthView,
  detailedHealthView,
  HealthView,
  healthView,
  isWell,
  PingView,
  ProbeView,
} from './health.views.js';

// Part 8 of the interface.
const QUICK_MS = 2000;
const STANDARD_MS = 5000;
const COMPREHENSIVE_MS = 10_000;

const SYSTEM_HEALTHY = { systemHealthy: { type: 'boolean', description: 'as data.healthy' } };

/** How the service is, for people, load balancers and Kubernetes. */
@Controller()
export class HealthController {
  constructor(
    private readonly checks: HealthChecks,
    private readonly indicators: HealthIndicatorService,
    private readonly probe: DatabaseProbe,
    private readonly clock: Clock,
    private readonly drain: Drain,
    private readonly databaseClock: DatabaseClock,
  ) {}

  @Get('api/ping')
  @PublicRoute({ summary: 'Answers pong', data: PingView, rateClass: 'none' })
  ping(): PingView {
    return { status: 'ok', success: true, message: 'pong', timestamp: this.clock.now().toISOString() };
  }

  @Get('api/health')
  @PublicRoute({
    summary: 'How the service is, all its components together',
    data: HealthView,
    beside: SYSTEM_HEALTHY,
    verdict: true,
    rateClass: 'none',
  })
  async health(@Res({ passthrough: true }) response: Response): Promise<Answer<HealthView>> {
    const view = healthView(await this.checks.all(STANDARD_MS), this.clock.now());
    return verdict(response, view.status, view, { systemHealthy: view.healthy });
  }

  @Get('health')
  @PublicRoute({
    summary: 'As /api/health',
    data: HealthView,
    beside: SYSTEM_HEALTHY,
    verdict: true,
    rateClass: 'none',
  })
  healthAtRoot(@Res({ passthrough: true }) response: Response): Promise<Answer<HealthView>> {
    return this.health(response);
  }

  @Get('api/health/detailed')
  @PublicRoute({
    summary: 'How each component is',
    data: DetailedHealthView,
    verdict: true,
    rateClass: 'none',
  })
  async detailed(@Res({ passthrough: true }) response: Response): Promise<Answer<DetailedHealthView>> {
    const components = await this.checks.all(COMPREHENSIVE_MS);
    return verdict(response, overall(components), detailedHealthView(components, this.clock.now()));
  }

  @Get('api/health/database')
  @PublicRoute({
    summary: 'Whether the database answers',
    data: ComponentView,
    verdict: true,
    rateClass: 'none',
  })
  database(@Res({ passthrough: true }) response: Response): Promise<Answer<ComponentView>> {
    return this.component('database', response);
  }

  @Get('api/health/blockchain')
  @PublicRoute({
    summary: 'Whether the chain answers',
    data: ComponentView,
    verdict: true,
    rateClass: 'none',
  })
  blockchain(@Res({ passthrough: true }) response: Response): Promise<Answer<ComponentView>> {
    return this.component('chain', response);
  }

  @Get('api/health/business')
  @PublicRoute({
    summary:
      'Whether the laws of the ledger held at the last check, and no withdrawal waits for more than a day',
    data: ComponentView,
    verdict: true,
    rateClass: 'none',
  })
  business(@Res({ passthrough: true }) response: Response): Promise<Answer<ComponentView>> {
    return this.component('ledger', response);
  }

  @Get('api/health/resources')
  @PublicRoute({
    summary: 'Memory and event loop of this process',
    data: ComponentView,
    verdict: true,
    rateClass: 'none',
  })
  resources(@Res({ passthrough: true }) response: Response): Promise<Answer<ComponentView>> {
    return this.component('resources', response);
  }

  @Get('api/health/live')
  @PublicRoute({ summary: 'Whether the process runs', data: ProbeView, verdict: true, rateClass: 'none' })
  live(): ProbeView {
    return { status: 'healthy' };
  }

  @Get('api/health/ready')
  @PublicRoute({
    summary: 'Whether requests can be served',
    data: ProbeView,
    verdict: true,
    rateClass: 'none',
  })
  async ready(@Res({ passthrough: true }) response: Response): Promise<Answer<ProbeView>> {
    const mayServe = !this.drain.isEnding && this.databaseClock.isRight;
    const status = mayServe && (await this.databaseAnswers()) ? 'healthy' : 'unhealthy';
    return verdict(response, status, { status });
  }

  private async component(name: ComponentName, response: Response): Promise<Answer<ComponentView>> {
    const health = await this.checks.one(name, STANDARD_MS);
    return verdict(response, health.status, componentView(health));
  }

  private async databaseAnswers(): Promise<boolean> {
    const { database } = await this.indicators
      .check('database')
      .attempt(async () => this.probe.ask())
      .withTimeout(QUICK_MS);
    return database.status === 'up';
  }
}

/** 503 when it is not well; `success` when nothing is amiss (4.15). */
function verdict<Data>(
  response: Response,
  status: HealthStatus,
  data: Data,
  beside: Record<string, unknown> = {},
): Answer<Data> {
  if (!isWell(status)) response.status(503);
  return new Answer(data, { ...beside, success: status === 'healthy' });
}

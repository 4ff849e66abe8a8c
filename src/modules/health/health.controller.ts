import { applyDecorators, Controller, Get, Res } from '@nestjs/common';
import { HealthCheck, HealthCheckService } from '@nestjs/terminus';
import type { Response } from 'express';
import { PublicRoute, type RouteOptions } from '../../http/auth/route.js';
import { EnvelopedResponse } from '../../http/response/enveloped-response.js';
import { Clock } from '../../common/clock.js';
import { HealthIndicators } from './health-indicators.js';
import type { ComponentName, HealthStatus } from './health-result.js';
import {
  componentViews,
  toDetailedHealthResponse,
  toHealthResponse,
  toProbeResponse,
  resultOf,
} from './health.mapper.js';
import {
  ComponentResponse,
  DetailedHealthResponse,
  HealthResponse,
  PingResponse,
  ProbeResponse,
} from './dto/health.response.js';

// How long a check may take, by the depth that its route promises.
const QUICK_MS = 2000;
const STANDARD_MS = 5000;
const COMPREHENSIVE_MS = 10_000;

const SYSTEM_HEALTHY = { systemHealthy: { type: 'boolean', description: 'as data.healthy' } };

/** Terminus would document its own shape, and replace the `no-store` of every answer. */
function HealthRoute(
  summary: string,
  data: RouteOptions['data'],
  extraFields: RouteOptions['extraFields'] = {},
) {
  return applyDecorators(
    HealthCheck({ noCache: false, swaggerDocumentation: false }),
    PublicRoute({ summary, data, extraFields, healthResponse: true, rateClass: 'none' }),
  );
}

/** The state of the service, for users, load balancers and Kubernetes. */
@Controller()
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicators,
    private readonly clock: Clock,
  ) {}

  @Get('api/ping')
  @PublicRoute({ summary: 'Answers pong', data: PingResponse, rateClass: 'none' })
  ping(): PingResponse {
    return { status: 'ok', success: true, message: 'pong', timestamp: this.clock.now().toISOString() };
  }

  @Get('api/health')
  @HealthRoute('How the service is, all its components together', HealthResponse, SYSTEM_HEALTHY)
  async overall(@Res({ passthrough: true }) response: Response): Promise<EnvelopedResponse<HealthResponse>> {
    const view = toHealthResponse(await this.components(STANDARD_MS), this.clock.now());
    return answer(response, view.status, view, { systemHealthy: view.healthy });
  }

  @Get('health')
  @HealthRoute('As /api/health', HealthResponse, SYSTEM_HEALTHY)
  overallAtRoot(@Res({ passthrough: true }) response: Response): Promise<EnvelopedResponse<HealthResponse>> {
    return this.overall(response);
  }

  @Get('api/health/detailed')
  @HealthRoute('How each component is', DetailedHealthResponse)
  async detailed(
    @Res({ passthrough: true }) response: Response,
  ): Promise<EnvelopedResponse<DetailedHealthResponse>> {
    const view = toDetailedHealthResponse(await this.components(COMPREHENSIVE_MS), this.clock.now());
    return answer(response, view.overallStatus, view);
  }

  @Get('api/health/database')
  @HealthRoute('Whether the database answers', ComponentResponse)
  database(@Res({ passthrough: true }) response: Response): Promise<EnvelopedResponse<ComponentResponse>> {
    return this.component('database', response);
  }

  @Get('api/health/blockchain')
  @HealthRoute('Whether the node answers, on the configured chain and up to date', ComponentResponse)
  blockchain(@Res({ passthrough: true }) response: Response): Promise<EnvelopedResponse<ComponentResponse>> {
    return this.component('chain', response);
  }

  @Get('api/health/business')
  @HealthRoute(
    'Whether the laws of the ledger held at the last check, and no withdrawal waits for more than a day',
    ComponentResponse,
  )
  business(@Res({ passthrough: true }) response: Response): Promise<EnvelopedResponse<ComponentResponse>> {
    return this.component('ledger', response);
  }

  @Get('api/health/resources')
  @HealthRoute('Memory and event loop of this process', ComponentResponse)
  resources(@Res({ passthrough: true }) response: Response): Promise<EnvelopedResponse<ComponentResponse>> {
    return this.component('resources', response);
  }

  @Get('api/health/live')
  @HealthRoute('Whether the process runs', ProbeResponse)
  async live(@Res({ passthrough: true }) response: Response): Promise<EnvelopedResponse<ProbeResponse>> {
    const view = toProbeResponse(await resultOf(this.health.check(this.indicators.live())));
    return answer(response, view.status, view);
  }

  @Get('api/health/ready')
  @HealthRoute('Whether requests can be served', ProbeResponse)
  async ready(@Res({ passthrough: true }) response: Response): Promise<EnvelopedResponse<ProbeResponse>> {
    const view = toProbeResponse(await resultOf(this.health.check(this.indicators.ready(QUICK_MS))));
    return answer(response, view.status, view);
  }

  private async components(withinMs: number): Promise<ComponentResponse[]> {
    return componentViews(await resultOf(this.health.check(this.indicators.components(withinMs))));
  }

  private async component(
    name: ComponentName,
    response: Response,
  ): Promise<EnvelopedResponse<ComponentResponse>> {
    const check = this.health.check([this.indicators.component(name, STANDARD_MS)]);
    const [view] = componentViews(await resultOf(check)) as [ComponentResponse];
    // A component that was not checked yet is no reason for an alarm.
    return answer(response, view.status, view, {}, view.status !== 'unhealthy');
  }
}

/** 503 unless the service is well; `success` is whether it is healthy. */
function answer<Data>(
  response: Response,
  status: HealthStatus,
  data: Data,
  beside: Record<string, unknown> = {},
  isWell = status === 'healthy' || status === 'degraded',
): EnvelopedResponse<Data> {
  if (!isWell) response.status(503);
  return new EnvelopedResponse(data, { ...beside, success: status === 'healthy' });
}

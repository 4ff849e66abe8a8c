import { applyDecorators, Controller, Get, Res } from '@nestjs/common';
import { HealthCheck } from '@nestjs/terminus';
import type { Response } from 'express';
import { Clock } from '../../../common/clock.js';
import { AppConfig } from '../../../config/app-config.js';
import { BUILD, VERSION } from '../../../config/version.js';
import { PublicRoute, type RouteOptions } from '../../../http/auth/route.js';
import { EnvelopedResponse } from '../../../http/response/enveloped-response.js';
import { toResponse } from '../../../http/response/to-response.js';
import {
  isOperational,
  overallStatus,
  type ComponentHealth,
  type ComponentName,
  type HealthStatus,
} from './domain/component-health.js';
import {
  ComponentResponse,
  DetailedHealthResponse,
  HealthResponse,
  PingResponse,
  ProbeResponse,
  VersionResponse,
} from './dto/health.response.js';
import { HealthService } from './health.service.js';

const SYSTEM_HEALTHY = {
  extraFields: { systemHealthy: { type: 'boolean', description: 'as data.healthy' } },
};
/** Load balancers and Kubernetes may add query parameters to a probe. */
const PROBE = { ignoresQuery: true };

/** Turns off Terminus's documentation, which has another shape, and its Cache-Control, since all responses are `no-store`. */
function HealthRoute(
  summary: string,
  data: RouteOptions['data'],
  options: Pick<RouteOptions, 'extraFields' | 'ignoresQuery' | 'operationId'> = {},
) {
  return applyDecorators(
    HealthCheck({ noCache: false, swaggerDocumentation: false }),
    PublicRoute({ summary, data, healthResponse: true, rateClass: 'none', ...options }),
  );
}

/** The health of the service, for users, load balancers and Kubernetes. */
@Controller()
export class HealthController {
  constructor(
    private readonly health: HealthService,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {}

  @Get('api/ping')
  @PublicRoute({ operationId: 'ping', summary: 'Answers pong', data: PingResponse, rateClass: 'none' })
  ping(): PingResponse {
    return { status: 'ok', success: true, message: 'pong', timestamp: this.clock.now().toISOString() };
  }

  @Get('api/health')
  @HealthRoute('Health of the service, from all its components', HealthResponse, SYSTEM_HEALTHY)
  async overall(@Res({ passthrough: true }) response: Response): Promise<EnvelopedResponse<HealthResponse>> {
    const data = toHealthResponse(await this.health.checkComponents('standard'), this.clock.now());
    return envelope(response, data, { extraFields: { systemHealthy: data.healthy } });
  }

  @Get('health')
  @HealthRoute('As /api/health', HealthResponse, { operationId: 'getHealthAtRoot', ...SYSTEM_HEALTHY })
  overallAtRoot(@Res({ passthrough: true }) response: Response): Promise<EnvelopedResponse<HealthResponse>> {
    return this.overall(response);
  }

  @Get('api/health/detailed')
  @HealthRoute('Health of each component', DetailedHealthResponse)
  async detailed(
    @Res({ passthrough: true }) response: Response,
  ): Promise<EnvelopedResponse<DetailedHealthResponse>> {
    return envelope(
      response,
      toDetailedHealthResponse(
        await this.health.checkComponents('comprehensive'),
        this.config,
        this.clock.now(),
      ),
    );
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
    'Whether the invariants of the ledger held at the last check, and no withdrawal waits for more than a day',
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
  @HealthRoute('Whether the process runs', ProbeResponse, PROBE)
  async live(@Res({ passthrough: true }) response: Response): Promise<EnvelopedResponse<ProbeResponse>> {
    return envelope(response, toProbeResponse(await this.health.isLive()));
  }

  @Get('api/health/ready')
  @HealthRoute('Whether requests can be served', ProbeResponse, PROBE)
  async ready(@Res({ passthrough: true }) response: Response): Promise<EnvelopedResponse<ProbeResponse>> {
    return envelope(response, toProbeResponse(await this.health.isReady()));
  }

  /** Answers 200 also for a component whose status is unknown. */
  private async component(
    name: ComponentName,
    response: Response,
  ): Promise<EnvelopedResponse<ComponentResponse>> {
    const data = toComponentResponse(await this.health.checkComponent(name));
    return envelope(response, data, { isOk: data.status !== 'unhealthy' });
  }
}

@Controller('api/version')
export class VersionController {
  constructor(private readonly config: AppConfig) {}

  @Get()
  @PublicRoute({
    summary: 'Version, commit and build time of the running service',
    data: VersionResponse,
    rateClass: 'none',
  })
  version(): VersionResponse {
    return {
      version: VERSION,
      apiVersion: 'v1',
      commit: BUILD.commit,
      builtAt: BUILD.builtAt,
      nodeVersion: process.version,
      environment: this.config.NODE_ENV,
    };
  }
}

/**
 * Sets the HTTP status 503 unless `isOk`; by default `isOk` is true for the statuses healthy and degraded. `success` is true
 * only for healthy.
 */
function envelope<Data extends { status: HealthStatus } | { overallStatus: HealthStatus }>(
  response: Response,
  data: Data,
  { isOk, extraFields }: { isOk?: boolean; extraFields?: Record<string, unknown> } = {},
): EnvelopedResponse<Data> {
  const status = 'status' in data ? data.status : data.overallStatus;
  if (!(isOk ?? isOperational(status))) response.status(503);
  return new EnvelopedResponse(data, { ...extraFields, success: status === 'healthy' });
}

function toComponentResponse(health: ComponentHealth): ComponentResponse {
  return toResponse(ComponentResponse, health, { latency: health.lastChecked === null ? 0 : health.latency });
}

function toHealthResponse(components: readonly ComponentHealth[], now: Date): HealthResponse {
  const status = overallStatus(components);
  return {
    status,
    message: countText(components),
    timestamp: now.toISOString(),
    uptime: durationText(process.uptime()),
    version: VERSION,
    healthy: isOperational(status),
    componentCount: components.length,
  };
}

function toDetailedHealthResponse(
  components: readonly ComponentHealth[],
  { FOUR_EYES: fourEyes, isRehearsal: rehearsal }: Pick<AppConfig, 'FOUR_EYES' | 'isRehearsal'>,
  now: Date,
): DetailedHealthResponse {
  return {
    overallStatus: overallStatus(components),
    components: components.map(toComponentResponse),
    fourEyes,
    rehearsal,
    checkedAt: now.toISOString(),
    message: countText(components),
  };
}

function toProbeResponse(isUp: boolean): ProbeResponse {
  return { status: isUp ? 'healthy' : 'unhealthy' };
}

function countText(components: readonly ComponentHealth[]): string {
  const healthy = components.filter(({ status }) => status === 'healthy').length;
  return `${healthy}/${components.length} components healthy`;
}

/** For example `0d 3h 4m 5s`. */
function durationText(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 86_400)}d ${Math.floor(whole / 3600) % 24}h ${Math.floor(whole / 60) % 60}m ${whole % 60}s`;
}

import { Choice, Count, Flag, Instant, ListOf, MapOf, Text } from '../../http/openapi/fields.js';
import { VERSION } from '../../config/version.js';
import { COMPONENTS, HEALTH_STATUSES, overall, type ComponentHealth, type HealthStatus } from './finding.js';

const STATUS = 'unhealthy when the database or the ledger is not well; degraded when anything else is not';

export class PingView {
  @Choice(['ok'])
  status!: string;

  @Flag()
  success!: boolean;

  @Choice(['pong'])
  message!: string;

  @Instant()
  timestamp!: string;
}

export class HealthView {
  @Choice(HEALTH_STATUSES, { description: STATUS })
  status!: HealthStatus;

  @Text({ example: '8/8 components healthy' })
  message!: string;

  @Instant()
  timestamp!: string;

  @Text({ description: 'of this process', example: '2d 3h 4m 5s' })
  uptime!: string;

  @Text({ example: '1.0.0' })
  version!: string;

  @Flag({ description: 'healthy or degraded' })
  healthy!: boolean;

  @Count({ example: 8 })
  componentCount!: number;
}

export class ComponentView {
  @Choice(COMPONENTS)
  component!: string;

  @Choice(HEALTH_STATUSES)
  status!: HealthStatus;

  @Text({ example: 'answers' })
  message!: string;

  @Count({ description: 'milliseconds that the look took', example: 3 })
  latency!: number;

  @MapOf({ type: 'string' }, { example: { newestBlock: '123' } })
  details!: Record<string, string>;

  @Instant()
  lastChecked!: string;
}

export class DetailedHealthView {
  @Choice(HEALTH_STATUSES, { description: STATUS })
  overallStatus!: HealthStatus;

  @ListOf(() => ComponentView)
  components!: ComponentView[];

  @Instant()
  checkedAt!: string;

  @Text({ example: '8/8 components healthy' })
  message!: string;
}

export class ProbeView {
  @Choice(['healthy', 'unhealthy'])
  status!: string;
}

export function isWell(status: HealthStatus): boolean {
  return status === 'healthy' || status === 'degraded';
}

export function healthView(components: readonly ComponentHealth[], now: Date): HealthView {
  const status = overall(components);
  return {
    status,
    message: countOf(components),
    timestamp: now.toISOString(),
    uptime: durationText(process.uptime()),
    version: VERSION,
    healthy: isWell(status),
    componentCount: components.length,
  };
}

export function detailedHealthView(components: readonly ComponentHealth[], now: Date): DetailedHealthView {
  return {
    overallStatus: overall(components),
    components: components.map(componentView),
    checkedAt: now.toISOString(),
    message: countOf(components),
  };
}

export function componentView(health: ComponentHealth): ComponentView {
  return {
    component: health.component,
    status: health.status,
    message: health.message,
    latency: health.latencyMs,
    details: health.details,
    lastChecked: health.lastChecked.toISOString(),
  };
}

function countOf(components: readonly ComponentHealth[]): string {
  const healthy = components.filter(({ status }) => status === 'healthy').length;
  return `${healthy}/${components.length} components healthy`;
}

/** `2d 3h 4m 5s` */
export function durationText(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 86_400)}d ${Math.floor(whole / 3600) % 24}h ${Math.floor(whole / 60) % 60}m ${whole % 60}s`;
}

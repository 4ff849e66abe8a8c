import { Choice, Count, Flag, Instant, ListOf, MapOf, Text } from '../../../../http/openapi/fields.js';
import { COMPONENTS, HEALTH_STATUSES, type HealthStatus } from '../domain/component-health.js';

const STATUS =
  'unhealthy if the database or the ledger is unhealthy; degraded if another component is not healthy; unknown components do not count unless all are unknown';

export class PingResponse {
  @Choice(['ok'])
  status!: string;

  @Flag()
  success!: boolean;

  @Choice(['pong'])
  message!: string;

  @Instant()
  timestamp!: string;
}

export class HealthResponse {
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

  @Count({ example: 8, description: 'components that were checked' })
  componentCount!: number;
}

export class ComponentResponse {
  @Choice(COMPONENTS)
  component!: string;

  @Choice(HEALTH_STATUSES, { description: 'unknown: not checked yet, or too long ago' })
  status!: HealthStatus;

  @Text({ example: 'answers' })
  message!: string;

  @Count({ description: 'duration of the check in milliseconds; 0 without a check', example: 3 })
  latency!: number;

  @MapOf({ type: 'string' }, { example: { newestBlock: '123' } })
  details!: Record<string, string>;

  @Instant({
    nullable: true,
    description:
      'time of the check: for the ledger the last integrity check, for the custody provider its last call; null if never',
  })
  lastChecked!: string | null;
}

export class DetailedHealthResponse {
  @Choice(HEALTH_STATUSES, { description: STATUS })
  overallStatus!: HealthStatus;

  @ListOf(() => ComponentResponse)
  components!: ComponentResponse[];

  @Choice(['on', 'off'], {
    description: 'off: one admin makes sensitive changes at once, which a second one approves otherwise',
  })
  fourEyes!: string;

  @Flag({
    description:
      'true: the service runs as in production, but against simulated providers and a development chain; it moves no real money',
  })
  rehearsal!: boolean;

  @Instant()
  checkedAt!: string;

  @Text({ example: '8/8 components healthy' })
  message!: string;
}

export class ProbeResponse {
  @Choice(['healthy', 'unhealthy'])
  status!: 'healthy' | 'unhealthy';
}

export class VersionResponse {
  @Text({ example: '1.0.0' })
  version!: string;

  @Choice(['v1'])
  apiVersion!: string;

  @Text({
    nullable: true,
    description: 'of the source; null if the build had no commit',
    example: '9db342f',
  })
  commit!: string | null;

  @Instant({ nullable: true })
  builtAt!: string | null;

  @Text({ example: 'v20.20.2' })
  nodeVersion!: string;

  @Choice(['development', 'test', 'production'])
  environment!: string;
}

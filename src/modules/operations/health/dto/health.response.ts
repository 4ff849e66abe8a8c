import {
  EnumField,
  IntegerField,
  BooleanField,
  InstantField,
  ListField,
  MapField,
  StringField,
} from '../../../../http/openapi/fields.js';
import { COMPONENTS, HEALTH_STATUSES, type HealthStatus } from '../domain/component-health.js';

const STATUS =
  'unhealthy if the database or the ledger is unhealthy; degraded if another component is not healthy; unknown components do not count unless all are unknown';

export class PingResponse {
  @EnumField(['ok']) status!: string;
  @BooleanField() success!: boolean;
  @EnumField(['pong']) message!: string;
  @InstantField() timestamp!: string;
}

export class HealthResponse {
  @EnumField(HEALTH_STATUSES, { description: STATUS }) status!: HealthStatus;
  @StringField({ example: '8/8 components healthy' }) message!: string;
  @InstantField() timestamp!: string;
  @StringField({ description: 'of this process', example: '2d 3h 4m 5s' }) uptime!: string;
  @StringField({ example: '1.0.0' }) version!: string;
  @BooleanField({ description: 'healthy or degraded' }) healthy!: boolean;
  @IntegerField({ example: 8, description: 'components that were checked' }) componentCount!: number;
}

export class ComponentResponse {
  @EnumField(COMPONENTS) component!: string;
  @EnumField(HEALTH_STATUSES, { description: 'unknown: not checked yet, or too long ago' })
  status!: HealthStatus;
  @StringField({ example: 'answers' }) message!: string;
  @IntegerField({ description: 'duration of the check in milliseconds; 0 without a check', example: 3 })
  latency!: number;
  @MapField({ type: 'string' }, { example: { newestBlock: '123' } }) details!: Record<string, string>;
  @InstantField({
    nullable: true,
    description:
      'time of the check: for the ledger the last integrity check, for the custody provider its last call; null if never',
  })
  lastChecked!: string | null;
}

export class DetailedHealthResponse {
  @EnumField(HEALTH_STATUSES, { description: STATUS }) overallStatus!: HealthStatus;
  @ListField(() => ComponentResponse) components!: ComponentResponse[];
  @EnumField(['on', 'off'], {
    description: 'off: one admin makes sensitive changes at once, which a second one approves otherwise',
  })
  fourEyes!: string;
  @BooleanField({
    description:
      'true: the service runs as in production, but against simulated providers and a development chain; it moves no real money',
  })
  rehearsal!: boolean;
  @InstantField() checkedAt!: string;
  @StringField({ example: '8/8 components healthy' }) message!: string;
}

export class ProbeResponse {
  @EnumField(['healthy', 'unhealthy']) status!: 'healthy' | 'unhealthy';
}

export class VersionResponse {
  @StringField({ example: '1.0.0' }) version!: string;
  @EnumField(['v1']) apiVersion!: string;
  @StringField({
    nullable: true,
    description: 'of the source; null if the build had no commit',
    example: '9db342f',
  })
  commit!: string | null;
  @InstantField({ nullable: true }) builtAt!: string | null;
  @StringField({ example: 'v20.20.2' }) nodeVersion!: string;
  @EnumField(['development', 'test', 'production']) environment!: string;
}

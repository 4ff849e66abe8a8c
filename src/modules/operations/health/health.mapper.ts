import type { AppConfig } from '../../../config/app-config.js';
import { VERSION } from '../../../config/version.js';
import { toResponse } from '../../../http/response/to-response.js';
import { isOperational, overallStatus, type ComponentHealth } from './domain/component-health.js';
import {
  ComponentResponse,
  type DetailedHealthResponse,
  type HealthResponse,
  type ProbeResponse,
} from './dto/health.response.js';

export function toComponentResponse(health: ComponentHealth): ComponentResponse {
  return toResponse(ComponentResponse, health, { latency: health.lastChecked === null ? 0 : health.latency });
}

export function toHealthResponse(components: readonly ComponentHealth[], now: Date): HealthResponse {
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

export function toDetailedHealthResponse(
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

export function toProbeResponse(isUp: boolean): ProbeResponse {
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

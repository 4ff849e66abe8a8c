import type { HealthCheckResult } from '@nestjs/terminus';
import { VERSION } from '../../config/version.js';
import type { ComponentHealth, ComponentName, HealthStatus } from './health-result.js';
import type {
  ComponentResponse,
  DetailedHealthResponse,
  HealthResponse,
  ProbeResponse,
} from './dto/health.response.js';

// From Terminus's result to the answers of the interface.

// Without these no request can be answered, or no answer can be believed. Every other component only degrades.
const VITAL: readonly string[] = ['database', 'ledger'] satisfies ComponentName[];

/** Terminus throws the result when an indicator is down. */
export async function resultOf(check: Promise<HealthCheckResult>): Promise<HealthCheckResult> {
  return check.catch((error: unknown) => {
    const { getResponse } = error as { getResponse?: () => HealthCheckResult };
    if (getResponse) return getResponse.call(error);
    throw error;
  });
}

export function componentViews({ details }: HealthCheckResult): ComponentResponse[] {
  return Object.entries(details).map(([component, entry]) => {
    const { lastChecked, latency, ...health } = entry.health as ComponentHealth;
    return {
      ...{ component, ...health },
      latency: lastChecked === null ? 0 : latency,
      lastChecked: lastChecked?.toISOString() ?? null,
    };
  });
}

/** The worst status of all components; a component that is unknown counts only if all are. */
export function overallStatus(components: readonly ComponentResponse[]): HealthStatus {
  const statuses = components
    .filter(({ status }) => status !== 'unknown')
    .map(({ component, status }) =>
      status === 'healthy' || VITAL.includes(component) ? status : 'degraded',
    );
  if (statuses.length === 0) return 'unknown';
  return (['unhealthy', 'degraded'] as const).find((status) => statuses.includes(status)) ?? 'healthy';
}

export function toHealthResponse(components: readonly ComponentResponse[], now: Date): HealthResponse {
  const status = overallStatus(components);
  return {
    status,
    message: countOf(components),
    timestamp: now.toISOString(),
    uptime: durationText(process.uptime()),
    version: VERSION,
    healthy: status === 'healthy' || status === 'degraded',
    componentCount: components.length,
  };
}

export function toDetailedHealthResponse(components: ComponentResponse[], now: Date): DetailedHealthResponse {
  return {
    overallStatus: overallStatus(components),
    components,
    checkedAt: now.toISOString(),
    message: countOf(components),
  };
}

/** Of the indicators alone: Terminus's own status also says whether the application ends, which `live` outlasts. */
export function toProbeResponse({ error }: HealthCheckResult): ProbeResponse {
  return { status: Object.keys(error ?? {}).length === 0 ? 'healthy' : 'unhealthy' };
}

function countOf(components: readonly ComponentResponse[]): string {
  const healthy = components.filter(({ status }) => status === 'healthy').length;
  return `${healthy}/${components.length} components healthy`;
}

/** `2d 3h 4m 5s` */
function durationText(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 86_400)}d ${Math.floor(whole / 3600) % 24}h ${Math.floor(whole / 60) % 60}m ${whole % 60}s`;
}

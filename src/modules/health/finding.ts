export const COMPONENTS = [
  'database',
  'chain',
  'deposit-provider',
  'custody-provider',
  'identity-provider',
  'ledger',
  'resources',
] as const;
export type ComponentName = (typeof COMPONENTS)[number];

export const HEALTH_STATUSES = ['healthy', 'degraded', 'unhealthy', 'unknown'] as const;
export type HealthStatus = (typeof HEALTH_STATUSES)[number];

/** What a look at a component found while it answered. */
export interface Finding {
  /** A sentence, where something is not as it should be although it works. */
  readonly concern?: string;
  readonly details: Readonly<Record<string, string>>;
}

export interface ComponentHealth {
  readonly component: ComponentName;
  readonly status: HealthStatus;
  readonly message: string;
  readonly latencyMs: number;
  readonly details: Readonly<Record<string, string>>;
  readonly lastChecked: Date;
}

// Without these nothing can be answered, or nothing that is answered can be believed. Everything else degrades (D52).
const VITAL: readonly ComponentName[] = ['database', 'ledger'];

/** How a component that does not answer, or not well, is called. */
export function statusWithout(component: ComponentName): HealthStatus {
  return VITAL.includes(component) ? 'unhealthy' : 'degraded';
}

/** The worst of all. */
export function overall(components: readonly ComponentHealth[]): HealthStatus {
  const worstFirst: HealthStatus[] = ['unhealthy', 'unknown', 'degraded'];
  return worstFirst.find((status) => components.some((one) => one.status === status)) ?? 'healthy';
}

export const COMPONENTS = [
  'database',
  'chain',
  'deposit-provider',
  'custody-provider',
  'identity-provider',
  'screening-provider',
  'ledger',
  'resources',
  'admins',
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

// Without these nothing can be answered, or nothing that is answered can be believed. Everything else degrades.
const VITAL: readonly ComponentName[] = ['database', 'ledger'];

/** The worst of all; what the service can do without only degrades it. */
export function overall(components: readonly ComponentHealth[]): HealthStatus {
  const statuses = components.map(({ component, status }) =>
    status === 'healthy' || VITAL.includes(component) ? status : 'degraded',
  );
  const worstFirst: HealthStatus[] = ['unhealthy', 'unknown', 'degraded'];
  return worstFirst.find((status) => statuses.includes(status)) ?? 'healthy';
}

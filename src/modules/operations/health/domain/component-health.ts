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

/** The names of the details that the checks of components report. */
export const DETAILS = [
  'chainId',
  'clockAheadMs',
  'eventLoopDelayMs',
  'heapUsedMegabytes',
  'lastCall',
  'lastCheck',
  'lastQuestion',
  'listed',
  'migrations',
  'missing',
  'name',
  'newestBlock',
  'oldestOpenWithdrawal',
  'overdueJobs',
  'rssMegabytes',
  'schema',
  'uptimeSeconds',
] as const;

/** The result of the check of a component. */
export interface HealthResult {
  readonly status: HealthStatus;
  readonly message: string;
  readonly details: Readonly<Partial<Record<(typeof DETAILS)[number], string>>>;
  /** The time of the earlier check that the result is from; absent if the component was checked now, null if never. */
  readonly lastChecked?: Date | null;
}

/** The health of one component; indicators pass it through Terminus as `health`. */
export interface ComponentHealth extends Required<HealthResult> {
  readonly component: ComponentName;
  /** Duration of the check in milliseconds. */
  readonly latency: number;
}

// If one of these is unhealthy, so is the service: it cannot answer, or its answers cannot be trusted.
const VITAL: readonly ComponentName[] = ['database', 'ledger'];

/**
 * The worst status of all components, where an unhealthy one that is not vital counts as degraded. `unknown` counts only if
 * all components are unknown.
 */
export function overallStatus(components: readonly ComponentHealth[]): HealthStatus {
  const statuses = components
    .filter(({ status }) => status !== 'unknown')
    .map(({ component, status }) =>
      status === 'healthy' || VITAL.includes(component) ? status : 'degraded',
    );
  if (statuses.length === 0) return 'unknown';
  return (['unhealthy', 'degraded'] as const).find((status) => statuses.includes(status)) ?? 'healthy';
}

/** True if the service can be used. */
export function isOperational(status: HealthStatus): boolean {
  return status === 'healthy' || status === 'degraded';
}

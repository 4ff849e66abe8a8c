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

/** What the check of a component found. */
export interface HealthResult {
  readonly status: HealthStatus;
  readonly message: string;
  readonly details: Readonly<Record<string, string>>;
  /** Absent if the component was checked now; null if it was never checked. */
  readonly lastChecked?: Date | null;
}

/** What an indicator answers to Terminus in `health`, beside Terminus's own status. */
export interface ComponentHealth extends Required<HealthResult> {
  /** In milliseconds. */
  readonly latency: number;
}

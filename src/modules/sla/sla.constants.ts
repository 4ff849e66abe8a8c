/** The promised service levels, in percent and milliseconds. */
export const TARGETS = {
  availability: 99.9,
  maxErrorRate: 0.1,
  p95ResponseTime: 2000,
  p99ResponseTime: 5000,
} as const;

/** The error rate and the P95 of a minute with fewer requests are not judged. */
export const MIN_REQUESTS = 10;

export const SLA_STATUSES = ['healthy', 'warning', 'critical', 'unknown'] as const;
export type SlaStatus = (typeof SLA_STATUSES)[number];

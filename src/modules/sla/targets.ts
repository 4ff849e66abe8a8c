/** What is promised: percent, and milliseconds. */
export const TARGETS = {
  availability: 99.9,
  maxErrorRate: 0.1,
  p95ResponseTime: 2000,
  p99ResponseTime: 5000,
} as const;

/** Fewer requests than these in a minute say nothing about its rates. */
export const LEAST_REQUESTS = 10;

import { Injectable } from '@nestjs/common';
import { Counter, Histogram, Registry } from 'prom-client';
import { ServedRequests, type ServedRequest } from '../../../http/response/served-requests.js';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const OTHER = 'other';
const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

/** Measures requests by their route template, not by their path, since the number of label values must be bounded. */
@Injectable()
export class RequestMetricsListener {
  private readonly durations: Histogram<'method' | 'route' | 'status'>;
  private readonly failures: Counter;

  constructor(registry: Registry, served: ServedRequests) {
    this.durations = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Requests by method, route template and status; status is broken-off if the response was not sent completely.',
      labelNames: ['method', 'route', 'status'],
      buckets: BUCKETS_SECONDS,
      registers: [registry],
    });
    this.failures = new Counter({
      name: 'http_request_failures_total',
      help: 'Requests answered with 5xx, except for answers that are no failures, such as PROOF_PENDING, and for load shedding without a token.',
      registers: [registry],
    });
    served.subscribe((request) => this.observeRequest(request));
  }

  private observeRequest({
    method,
    route,
    status,
    isComplete,
    isFailure,
    isAnonymousRefusal,
    milliseconds,
  }: ServedRequest): void {
    if (isComplete && isFailure && !isAnonymousRefusal) this.failures.inc();
    this.durations.observe(
      {
        method: METHODS.has(method) ? method : OTHER,
        route: route ?? OTHER,
        status: isComplete ? String(status) : 'broken-off',
      },
      milliseconds / 1000,
    );
  }
}

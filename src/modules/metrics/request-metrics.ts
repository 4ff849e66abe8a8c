import { Injectable } from '@nestjs/common';
import { Histogram } from 'prom-client';
import { ServedRequests, type ServedRequest } from '../../http/response/served-requests.js';
import { MetricsRegistry } from './metrics-registry.js';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const OTHER = 'other';
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

/** Requests by the router's template, never by the path that was asked for: there are only so many templates. */
@Injectable()
export class RequestMetrics {
  private readonly durations: Histogram<'method' | 'route' | 'status'>;

  constructor({ registry }: MetricsRegistry, served: ServedRequests) {
    this.durations = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Requests by method, route template and status; status is broken-off where the answer did not arrive.',
      labelNames: ['method', 'route', 'status'],
      buckets: SECONDS,
      registers: [registry],
    });
    served.subscribe((request) => this.count(request));
  }

  private count({ method, route, status, isComplete, milliseconds }: ServedRequest): void {
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

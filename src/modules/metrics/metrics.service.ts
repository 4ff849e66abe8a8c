import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { fail } from '../../kernel/errors/domain-error.js';
import { BusinessMetrics } from './business-metrics.js';
import { MetricsRegistry } from './metrics-registry.js';

const BEARER = /^Bearer (\S+)$/i;

/** The page that Prometheus reads. */
@Injectable()
export class Metrics {
  constructor(
    private readonly config: AppConfig,
    private readonly metrics: MetricsRegistry,
    private readonly business: BusinessMetrics,
  ) {}

  async page(authorization: string | undefined): Promise<string> {
    this.requireAccess(authorization);
    await this.business.refresh();
    return this.metrics.registry.metrics();
  }

  /** In production the figures are nobody's business who has no token: without one there is no such page. */
  private requireAccess(authorization: string | undefined): void {
    const { METRICS_TOKEN: token, isProduction } = this.config;
    if (!token) {
      if (isProduction) fail('NOT_FOUND');
      return;
    }
    const [, given] = BEARER.exec(authorization ?? '') ?? [];
    if (!given) fail('TOKEN_MISSING');
    if (!timingSafeEqual(digest(given), digest(token))) fail('TOKEN_INVALID');
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

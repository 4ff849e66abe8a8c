import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { fail } from '../../common/errors/domain-error.js';
import { SecondSecrets } from '../../observability/second-secrets.js';
import { BusinessMetrics } from './business-metrics.js';
import { MetricsRegistry } from './metrics-registry.js';

const BEARER = /^Bearer (\S+)$/i;

/** The page that Prometheus reads. */
@Injectable()
export class MetricsService {
  constructor(
    private readonly config: AppConfig,
    private readonly metrics: MetricsRegistry,
    private readonly business: BusinessMetrics,
    private readonly secondSecrets: SecondSecrets,
  ) {}

  async page(authorization: string | undefined): Promise<string> {
    this.requireAccess(authorization);
    await this.business.refresh();
    return this.metrics.registry.metrics();
  }

  /** In production the figures are nobody's business who has no token: without one there is no such page. */
  private requireAccess(authorization: string | undefined): void {
    const { METRICS_TOKEN: token, METRICS_TOKEN_ALSO: second, isProduction } = this.config;
    if (!token) {
      if (isProduction) fail('NOT_FOUND');
      return;
    }
    const [, given] = BEARER.exec(authorization ?? '') ?? [];
    if (!given) fail('TOKEN_MISSING');
    if (isSame(given, token)) return;
    if (second === undefined || !isSame(given, second)) fail('TOKEN_INVALID');
    this.secondSecrets.needed('METRICS_TOKEN_ALSO');
  }
}

function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

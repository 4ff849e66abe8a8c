import { Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';
import { AppConfig } from '../../../config/app-config.js';
import { isSameText } from '../../../common/constant-time.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { SecondSecrets } from '../../../observability/second-secrets.js';
import { BusinessMetricsService } from './business-metrics.service.js';

const BEARER = /^Bearer (\S+)$/i;

/** Renders the page for Prometheus. */
@Injectable()
export class MetricsService {
  constructor(
    private readonly config: AppConfig,
    private readonly registry: Registry,
    private readonly business: BusinessMetricsService,
    private readonly secondSecrets: SecondSecrets,
  ) {}

  async renderPage(authorization: string | undefined): Promise<string> {
    this.requireAccess(authorization);
    await this.business.refreshGauges();
    return this.registry.metrics();
  }

  /**
   * If METRICS_TOKEN is set, requires it or METRICS_TOKEN_ALSO. Without METRICS_TOKEN the page does not exist in production and
   * is public elsewhere.
   */
  private requireAccess(authorization: string | undefined): void {
    const { METRICS_TOKEN: token, METRICS_TOKEN_ALSO: second, isProduction } = this.config;
    if (!token) {
      if (isProduction) throwError('NOT_FOUND');
      return;
    }
    const [, bearer] = BEARER.exec(authorization ?? '') ?? [];
    if (!bearer) throwError('TOKEN_MISSING');
    if (isSameText(bearer, token)) return;
    if (second === undefined || !isSameText(bearer, second)) throwError('TOKEN_INVALID');
    this.secondSecrets.recordUse('METRICS_TOKEN_ALSO');
  }
}

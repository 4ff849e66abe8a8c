import { Injectable } from '@nestjs/common';
import { Job } from '../../../jobs/job.decorator.js';
import { AlertsService } from '../../core/alerts/alerts.service.js';
import { LimitTiersService } from './limit-tiers.service.js';

const KIND = 'unknown-tier';

/** Raises an alert about each tier that users have and LIMITS_FILE does not, and resolves it when no user has it any more. */
@Injectable()
export class UnknownTiersJob {
  constructor(
    private readonly tiers: LimitTiersService,
    private readonly alerts: AlertsService,
  ) {}

  @Job({
    name: 'unknown-tiers',
    purpose: 'Raises alerts about tiers of users that LIMITS_FILE does not have, and resolves them',
    everySeconds: 300,
    atStart: true,
  })
  async updateAlerts(): Promise<void> {
    const unknown = await this.tiers.listUnknownTiers();
    const reported = (await this.alerts.listOpenAlerts([KIND])).map(({ subjectId }) => subjectId);
    for (const { tier, users } of unknown)
      if (!reported.includes(tier))
        await this.alerts.raise({
          kind: KIND,
          subject: { type: 'tier', id: tier },
          message: `LIMITS_FILE has no tier "${tier}", which ${users} user(s) have. The strictest limits of all its tiers apply to them.`,
          nextStep: `Add the tier to LIMITS_FILE and restart, or move the users to another one by PUT /api/admin/users/:id/tier.`,
        });
    for (const tier of reported)
      if (!unknown.some((other) => other.tier === tier)) await this.alerts.resolveBySystem(KIND, tier);
  }
}

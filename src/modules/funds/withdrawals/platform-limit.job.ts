import { Injectable } from '@nestjs/common';
import { Job } from '../../../jobs/job.decorator.js';
import { Money } from '../../../common/money.js';
import { AlertsService } from '../../core/alerts/alerts.service.js';
import { PlatformLimitService } from './platform-limit.service.js';

const RELEASED_PER_RUN = 500;
const ALERT_FROM = Money.of('0.8'); // of the limit
const KIND = 'platform-limit';
const SETTING = 'PLATFORM_WITHDRAWAL_PER_DAY';

@Injectable()
export class PlatformLimitJob {
  constructor(
    private readonly platformLimit: PlatformLimitService,
    private readonly alerts: AlertsService,
  ) {}

  @Job({
    name: 'platform-limit',
    purpose:
      'Releases withdrawals that wait because of PLATFORM_WITHDRAWAL_PER_DAY when there is room, and raises an alert at 80 % of it',
    everySeconds: 10,
    exclusive: true,
  })
  async applyLimit(stopping: AbortSignal): Promise<void> {
    for (const id of await this.platformLimit.listWaiting(RELEASED_PER_RUN)) {
      if (stopping.aborted) return;
      if (!(await this.platformLimit.releaseIfRoom(id))) break; // later ones wait for the oldest
    }
    await this.updateAlert();
  }

  private async updateAlert(): Promise<void> {
    const { limit } = this.platformLimit;
    const isNear =
      limit && !(await this.platformLimit.getUsedAndWaiting(limit)).isLessThan(limit.times(ALERT_FROM));
    const isOpen = (await this.alerts.listOpenAlerts([KIND])).length > 0;
    if (isNear && !isOpen)
      await this.alerts.raise({
        kind: KIND,
        subject: { type: 'setting', id: SETTING },
        message: `The withdrawals of all users in 24 hours have reached 80 % of ${SETTING}. Requests above it wait.`,
        nextStep:
          'Find out why more is withdrawn than usual. If it is in order, raise the setting, or let two admins release waiting ' +
          'withdrawals by POST /api/admin/withdrawals/:id/release.',
      });
    if (!isNear && isOpen) await this.alerts.resolveBySystem(KIND, SETTING);
  }
}

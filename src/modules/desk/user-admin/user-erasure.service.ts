import { Injectable } from '@nestjs/common';
import { isForeignKeyViolation } from '../../../common/errors/database-error.js';
import { savepoint, type Tx } from '../../../database/unit-of-work.js';
import { EventLogRepository } from '../../../events/event-log.repository.js';
import { IdempotencyRepository } from '../../../http/request/idempotency.repository.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { AddressesService } from '../../funds/addresses/addresses.service.js';
import { AlertsService } from '../../core/alerts/alerts.service.js';
import { ApiKeysService } from '../../identity/api-keys/api-keys.service.js';
import { DevicesService } from '../../identity/auth/devices.service.js';
import { SessionsService } from '../../identity/auth/sessions.service.js';
import { LockLinksService } from '../../identity/locks/locks.service.js';
import { TicketsService } from '../../messaging/live/tickets.service.js';
import { FactorsService } from '../../identity/second-factor/factors.service.js';
import { MailsRepository } from '../../messaging/mail/mails.repository.js';
import { NotificationsService } from '../../portfolio/notifications/notifications.service.js';
import { ScreeningService } from '../../identity/screening/screening.service.js';
import { WebhooksService } from '../../messaging/webhooks/webhooks.service.js';
import type { User } from '../../identity/users/entities/user.entity.js';
import { UserAccountsService } from '../../identity/users/user-accounts.service.js';
import { WalletLinksService } from '../../identity/wallets/wallet-links.service.js';
import { UserAdminRepository } from './user-admin.repository.js';

/**
 * Removes the identity of users. `erase` deletes a user without records of money. `anonymise` keeps the records of money and their user,
 * but removes the name and the e-mail address.
 */
@Injectable()
export class UserErasureService {
  constructor(
    private readonly repository: UserAdminRepository,
    private readonly userAccounts: UserAccountsService,
    private readonly sessions: SessionsService,
    private readonly devices: DevicesService,
    private readonly wallets: WalletLinksService,
    private readonly alerts: AlertsService,
    private readonly notifications: NotificationsService,
    private readonly mails: MailsRepository,
    private readonly apiKeys: ApiKeysService,
    private readonly factors: FactorsService,
    private readonly lockLinks: LockLinksService,
    private readonly addresses: AddressesService,
    private readonly events: EventLogRepository,
    private readonly liveTickets: TicketsService,
    private readonly subscriptions: WebhooksService,
    private readonly screening: ScreeningService,
    private readonly idempotency: IdempotencyRepository,
  ) {}

  /**
   * Deletes a user, whom the caller has locked exclusively, with all personal data. Throws INVALID_STATE, without any change,
   * if a record of money refers to the user. A deposit address is such a record, because money may still be sent to it.
   */
  async erase(tx: Tx, { id, status }: User): Promise<void> {
    // The savepoint lets the transaction of the caller continue after INVALID_STATE: test users are then anonymised.
    await savepoint(tx, async () => {
      if (await this.repository.hasLedgerAccount(tx, id)) refuseErasure(status);
      await this.deleteRecordsWithoutMoney(tx, id);
      await this.alerts.deleteAlertsOfUser(tx, id);
      // ON DELETE CASCADE also deletes wallets, figures, status changes and screening verdicts.
      await this.userAccounts.delete(tx, id).catch((error: unknown) => {
        if (isForeignKeyViolation(error)) refuseErasure(status); // all records but those of money are deleted above
        throw error;
      });
    });
  }

  /**
   * The caller has locked and deactivated the user. Keeps the user's status changes and screening verdicts, and the alerts about the
   * user.
   */
  async anonymise(tx: Tx, { id }: User): Promise<void> {
    await this.deleteRecordsWithoutMoney(tx, id);
    await this.wallets.deleteWalletsOfUser(tx, id);
    await this.userAccounts.anonymise(tx, id);
  }

  private async deleteRecordsWithoutMoney(tx: Tx, userId: string): Promise<void> {
    await this.notifications.deleteNotificationsOfUser(tx, userId);
    await this.mails.deleteMailsOfUser(tx, userId);
    await this.subscriptions.deleteSubscriptionsOfUser(tx, userId);
    await this.apiKeys.deleteKeysOfUser(tx, userId);
    await this.factors.deleteFactorsOfUser(tx, userId);
    await this.lockLinks.deleteLinksOfUser(tx, userId);
    await this.screening.deleteScreeningQuestionsOfUser(tx, userId);
    await this.addresses.deleteAddressBookOfUser(tx, userId);
    await this.events.deleteEventsOfUser(tx, userId);
    await this.liveTickets.deleteTicketsOfUser(tx, userId);
    await this.idempotency.deleteResponsesToUser(tx, userId);
    await this.devices.deleteDevicesOfUser(tx, userId);
    await this.userAccounts.forgetIdentities(tx, userId);
    await this.sessions.deleteSessionsOfUser(tx, userId);
  }
}

function refuseErasure(status: string): never {
  throwError(
    'INVALID_STATE',
    { status, action: 'erase', allowedFrom: [] },
    {
      message:
        'This user has records of money, which must be kept. To deactivate the account instead, repeat the request without permanent=true.',
    },
  );
}

import { Injectable } from '@nestjs/common';
import { sqlState } from '../../common/errors/sql-state.js';
import { savepoint, type Tx } from '../../database/unit-of-work.js';
import { IdempotencyRepository } from '../../http/request/idempotency.repository.js';
import { fail } from '../../common/errors/domain-error.js';
import { AddressesService } from '../addresses/addresses.service.js';
import { AlertsService } from '../alerts/alerts.service.js';
import { ApiKeysService } from '../api-keys/api-keys.service.js';
import { DevicesService } from '../auth/devices.service.js';
import { SessionsService } from '../auth/sessions.service.js';
import { LiveEventsRepository } from '../live/live-events.repository.js';
import { TicketsService } from '../live/tickets.service.js';
import { MailsService } from '../mail/mails.service.js';
import { NotificationsService } from '../notifications/notifications.service.js';
import { ScreeningService } from '../screening/screening.service.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';
import type { User } from '../users/entities/user.entity.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { WalletLinksService } from '../wallets/wallet-links.service.js';
import { UserErasureRepository } from './user-erasure.repository.js';

const FOREIGN_KEY_VIOLATION = '23503';

/** Erases users. The ledger's records and the accounts to which they belong are never deleted. */
@Injectable()
export class UserErasureService {
  constructor(
    private readonly erasure: UserErasureRepository,
    private readonly accounts: UserAccountsService,
    private readonly sessions: SessionsService,
    private readonly devices: DevicesService,
    private readonly wallets: WalletLinksService,
    private readonly alerts: AlertsService,
    private readonly notifications: NotificationsService,
    private readonly mails: MailsService,
    private readonly apiKeys: ApiKeysService,
    private readonly addresses: AddressesService,
    private readonly liveEvents: LiveEventsRepository,
    private readonly liveTickets: TicketsService,
    private readonly subscriptions: SubscriptionsService,
    private readonly screening: ScreeningService,
    private readonly idempotency: IdempotencyRepository,
  ) {}

  /**
   * Deletes a locked user with all personal data. Throws INVALID_STATE, without any change, if a record of money refers to
   * the user: an account of the ledger, or a deposit address, to which money may still be sent.
   */
  async erase(tx: Tx, { id, status }: User): Promise<void> {
    await savepoint(tx, async (part) => {
      if (await this.erasure.hasLedgerAccount(part, id)) failHasMoneyRecords(status);
      await this.deletePersonalData(part, id);
      await this.alerts.deleteAlertsOfUser(part, id);
      // Foreign keys delete the user's wallets, figures and status changes, too.
      await this.accounts.delete(part, id).catch((error: unknown) => {
        if (sqlState(error) === FOREIGN_KEY_VIOLATION) failHasMoneyRecords(status);
        throw error;
      });
    });
  }

  /** Removes a deactivated user's identity and keeps the records of money and the alerts. */
  async anonymise(tx: Tx, { id }: User): Promise<void> {
    await this.deletePersonalData(tx, id);
    await this.wallets.deleteWalletsOfUser(tx, id);
    await this.accounts.anonymise(tx, id);
  }

  private async deletePersonalData(tx: Tx, userId: string): Promise<void> {
    await this.notifications.deleteNotificationsOfUser(tx, userId);
    await this.mails.deleteMailsOfUser(tx, userId);
    await this.subscriptions.deleteSubscriptionsOfUser(tx, userId);
    await this.apiKeys.deleteKeysOfUser(tx, userId);
    await this.screening.deleteQuestionsOfUser(tx, userId);
    await this.addresses.deleteEntriesOfUser(tx, userId);
    await this.liveEvents.deleteEventsOfUser(tx, userId);
    await this.liveTickets.deleteTicketsOfUser(tx, userId);
    await this.idempotency.deleteResultsOfCaller(tx, `user:${userId}`);
    await this.devices.deleteDevicesOfUser(tx, userId);
    await this.sessions.deleteSessionsOfUser(tx, userId);
  }
}

function failHasMoneyRecords(status: string): never {
  fail(
    'INVALID_STATE',
    { status, action: 'erase' },
    {
      message:
        'Records of money refer to this user and are kept. Omit permanent to deactivate the account instead.',
    },
  );
}

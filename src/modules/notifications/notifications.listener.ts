import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainEvents, type DomainEvent } from '../../events/domain-events.js';
import type { AddressEvent } from '../addresses/address.events.js';
import type { ApiKeyEvent } from '../api-keys/api-key.events.js';
import type { DepositEvent } from '../deposits/deposit.events.js';
import type { InvestmentEvent } from '../investments/investment.events.js';
import type { EmailChangedEvent, SecurityEvent } from '../users/security.events.js';
import type { WithdrawalEvent } from '../withdrawals/withdrawal.events.js';
import {
  depositNotification,
  investmentNotification,
  withdrawalNotification,
} from './domain/notification-texts.js';
import {
  addressNotification,
  apiKeyNotification,
  emailChangedNotification,
  securityNotification,
} from './domain/security-texts.js';
import { NotificationWritesService } from './notification-writes.service.js';
import type { NotificationContent } from './notifications.types.js';

/** Notifies users of domain events, in the transaction of the event. */
@Injectable()
export class NotificationsListener implements OnModuleInit {
  constructor(
    private readonly domainEvents: DomainEvents,
    private readonly notifications: NotificationWritesService,
  ) {}

  onModuleInit(): void {
    this.subscribe<DepositEvent>('deposit', depositNotification);
    this.subscribe<InvestmentEvent>('investment', investmentNotification);
    this.subscribe<WithdrawalEvent>('withdrawal', withdrawalNotification);
    this.subscribe<SecurityEvent>('security', securityNotification);
    this.subscribe<EmailChangedEvent>('email', emailChangedNotification);
    this.subscribe<ApiKeyEvent>('api-key', apiKeyNotification);
    this.subscribe<AddressEvent>('address', addressNotification);
  }

  private subscribe<Event extends DomainEvent>(
    topic: string,
    toContent: (event: Event) => NotificationContent | undefined,
  ): void {
    this.domainEvents.subscribe<Event>(topic, async (tx, event) => {
      const content = toContent(event);
      const { userId, at } = event;
      if (content) await this.notifications.insertNotification(tx, { userId, at, content });
    });
  }
}

import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainEvents, type PlatformEvent } from '../../events/domain-events.js';
import { afterCommit } from '../../database/statements.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import type { DepositEvent } from '../deposits/deposit.events.js';
import type { IntegrityViolationEvent } from '../integrity/integrity.events.js';
import type { InvestmentEvent } from '../investments/investment.events.js';
import type { BalanceChangedEvent } from '../ledger/balance.events.js';
import type { NotificationEvent } from '../notifications/notification.events.js';
import { depositEvent } from '../subscriptions/domain/event-payloads.js';
import type { TransactionRequestEvent } from '../treasury/transaction-request.events.js';
import type { WithdrawalEvent } from '../withdrawals/withdrawal.events.js';
import type { ApprovalEvent } from '../approvals/approval.events.js';
import {
  approvalEvents,
  assignedEvent,
  balanceEvent,
  investmentEvents,
  userEvents,
  violationEvent,
  withdrawalEvents,
} from './domain/live-events.js';
import { EventDispatcherService } from './event-dispatcher.service.js';
import { LiveEventsRepository } from './live-events.repository.js';
import { notificationEvent } from './live.mapper.js';
import type { NewLiveEvent } from './live.types.js';

/** Collects the live events of a transaction, which are written with its commit. */
@Injectable()
export class LiveEventsListener implements OnModuleInit {
  constructor(
    private readonly domainEvents: DomainEvents,
    private readonly admins: AdminDirectoryService,
    private readonly events: LiveEventsRepository,
    private readonly dispatcher: EventDispatcherService,
  ) {}

  onModuleInit(): void {
    this.insertOn<DepositEvent>('deposit', (event) => userEvents(event, depositEvent(event)));
    this.insertOn<InvestmentEvent>('investment', investmentEvents);
    this.insertOn<WithdrawalEvent>('withdrawal', withdrawalEvents);
    this.insertOn<NotificationEvent>('notification', (event) => [notificationEvent(event)]);
    this.insertOn<BalanceChangedEvent>('balance', (event) => [balanceEvent(event)]);
    this.insertOn<IntegrityViolationEvent>('integrity', (event) => [violationEvent(event)]);
    this.insertOn<ApprovalEvent>('approval', (event) =>
      approvalEvents(event, this.admins.findAdminByEmail(event.approval.requestedBy)?.id),
    );
    this.insertOn<TransactionRequestEvent>('transaction-request', (event) => this.assignedEvents(event));
  }

  private insertOn<E extends PlatformEvent>(
    topic: string,
    toEvents: (domainEvent: E) => NewLiveEvent[],
  ): void {
    this.domainEvents.subscribe<E>(topic, async (tx, domainEvent) => {
      const events = toEvents(domainEvent);
      for (const event of events) this.events.insertEventBeforeCommit(tx, event);
      if (events.length > 0) afterCommit(tx, this.dispatcher.dispatchSoon);
    });
  }

  private assignedEvents(event: TransactionRequestEvent): NewLiveEvent[] {
    const admin = this.admins.findAdminByEmail(event.assignedTo);
    return admin ? [assignedEvent(event, admin.id)] : [];
  }
}

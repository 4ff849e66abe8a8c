import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainEvents, type DomainEvent } from '../../database/domain-events.js';
import type { Tx } from '../../database/unit-of-work.js';
import type { DepositEvent } from '../deposits/deposit.events.js';
import type { InvestmentEvent } from '../investments/investment.events.js';
import type { SecurityEvent } from '../users/security.events.js';
import type { WithdrawalEvent } from '../withdrawals/withdrawal.events.js';
import { depositNote, investmentNote, securityNote, withdrawalNote } from './notification.texts.js';
import type { Note } from './notification.words.js';
import { NotificationsService } from './notifications.service.js';

/** Tells users what the modules below have done, in the transaction that did it. */
@Injectable()
export class NotificationsListener implements OnModuleInit {
  constructor(
    private readonly domainEvents: DomainEvents,
    private readonly notifications: NotificationsService,
  ) {}

  onModuleInit(): void {
    this.listen<DepositEvent>('deposit', depositNote);
    this.listen<InvestmentEvent>('investment', investmentNote);
    this.listen<WithdrawalEvent>('withdrawal', withdrawalNote);
    this.listen<SecurityEvent>('security', securityNote);
  }

  private listen<F extends DomainEvent>(topic: string, noteOf: (fact: F) => Note | undefined): void {
    this.domainEvents.subscribe<F>(topic, async (tx: Tx, fact: F) => {
      const note = noteOf(fact);
      if (note) await this.notifications.write(tx, fact.userId, fact.at, note);
    });
  }
}

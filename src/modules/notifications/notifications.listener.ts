import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Facts, type Fact } from '../../database/domain-events.js';
import type { Tx } from '../../database/unit-of-work.js';
import type { DepositFact } from '../deposits/deposit.events.js';
import type { InvestmentFact } from '../investments/investment.events.js';
import type { SecurityFact } from '../users/security.events.js';
import type { WithdrawalFact } from '../withdrawals/withdrawal.events.js';
import { depositNote, investmentNote, securityNote, withdrawalNote } from './notification.texts.js';
import type { Note } from './notification.words.js';
import { Notifications } from './notifications.service.js';

/** Tells users what the modules below have done, in the transaction that did it. */
@Injectable()
export class NotificationsListener implements OnModuleInit {
  constructor(
    private readonly facts: Facts,
    private readonly notifications: Notifications,
  ) {}

  onModuleInit(): void {
    this.listen<DepositFact>('deposit', depositNote);
    this.listen<InvestmentFact>('investment', investmentNote);
    this.listen<WithdrawalFact>('withdrawal', withdrawalNote);
    this.listen<SecurityFact>('security', securityNote);
  }

  private listen<F extends Fact>(topic: string, noteOf: (fact: F) => Note | undefined): void {
    this.facts.subscribe<F>(topic, async (tx: Tx, fact: F) => {
      const note = noteOf(fact);
      if (note) await this.notifications.write(tx, fact.userId, fact.at, note);
    });
  }
}

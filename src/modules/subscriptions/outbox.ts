import { Injectable, type OnModuleInit } from '@nestjs/common';
import { prepared } from '../../database/prepared.js';
import { DomainEvents, type DomainEvent } from '../../database/domain-events.js';
import type { Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { newId } from '../../common/ids.js';
import type { DepositEvent } from '../deposits/deposit.events.js';
import type { InvestmentEvent } from '../investments/investment.events.js';
import type { WithdrawalEvent } from '../withdrawals/withdrawal.events.js';
import { bodyOf, depositEvent, investmentEvent, withdrawalEvent, type Event } from './event-payloads.js';

/** Writes what users' servers are to be told, in the transaction of what happened: both are there or neither. */
@Injectable()
export class Outbox implements OnModuleInit {
  constructor(
    private readonly domainEvents: DomainEvents,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.listen<DepositEvent>('deposit', depositEvent);
    this.listen<InvestmentEvent>('investment', investmentEvent);
    this.listen<WithdrawalEvent>('withdrawal', withdrawalEvent);
  }

  /** For one subscription, whatever it has subscribed to. Answers the id of the delivery. */
  async add(tx: Tx, subscriptionId: string, event: Event): Promise<string> {
    const id = newId();
    await tx.query(
      `insert into webhook_delivery (id, subscription_id, event, body, status, attempts, created_at, due_at)
       values ($1, $2, $3, $4, 'pending', 0, $5, $5)`,
      [id, subscriptionId, event.type, bodyOf(event), this.clock.now()],
    );
    return id;
  }

  private listen<F extends DomainEvent>(topic: string, eventOf: (fact: F) => Event | undefined): void {
    this.domainEvents.subscribe<F>(topic, async (tx: Tx, fact: F) => {
      const event = eventOf(fact);
      if (event) await this.addForAll(tx, fact.userId, event);
    });
  }

  /**
   * One statement, whether there is a subscription or not. It waits for a subscription that is just being deleted:
   * without that the delivery would refer to nothing, and what happened would fail with it.
   */
  private async addForAll(tx: Tx, userId: string, event: Event): Promise<void> {
    await tx.query(
      prepared(`with subscriber as (
         select id from webhook_subscription
          where user_id = $1 and status = 'active' and $2 = any(events) for key share
       )
       insert into webhook_delivery (id, subscription_id, event, body, status, attempts, created_at, due_at)
       select gen_random_uuid(), id, $2, $3, 'pending', 0, $4, $4 from subscriber`),
      [userId, event.type, bodyOf(event), this.clock.now()],
    );
  }
}

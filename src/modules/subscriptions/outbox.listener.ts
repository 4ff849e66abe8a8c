import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainEvents, type DomainEvent } from '../../database/domain-events.js';
import { Clock } from '../../common/clock.js';
import type { DepositEvent } from '../deposits/deposit.events.js';
import type { InvestmentEvent } from '../investments/investment.events.js';
import type { LogCheckpointEvent } from '../proofs/log.events.js';
import type { WithdrawalEvent } from '../withdrawals/withdrawal.events.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import {
  checkpointEvent,
  depositEvent,
  investmentEvent,
  withdrawalEvent,
  type Event,
} from './domain/event-payloads.js';

/** Transactional outbox: inserts the deliveries of a domain event in the transaction of the event. */
@Injectable()
export class OutboxListener implements OnModuleInit {
  constructor(
    private readonly domainEvents: DomainEvents,
    private readonly deliveries: DeliveriesRepository,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.insertDeliveriesOn<DepositEvent>('deposit', depositEvent);
    this.insertDeliveriesOn<InvestmentEvent>('investment', investmentEvent);
    this.insertDeliveriesOn<WithdrawalEvent>('withdrawal', withdrawalEvent);
    this.domainEvents.subscribe<LogCheckpointEvent>('log', (tx, domainEvent) =>
      this.deliveries.insertDeliveriesForAll(tx, checkpointEvent(domainEvent), this.clock.now()),
    );
  }

  private insertDeliveriesOn<E extends DomainEvent>(
    topic: string,
    payloadOf: (domainEvent: E) => Event | undefined,
  ): void {
    this.domainEvents.subscribe<E>(topic, async (tx, domainEvent) => {
      const event = payloadOf(domainEvent);
      if (event)
        await this.deliveries.collectDeliveriesForUser(tx, domainEvent.userId, event, this.clock.now());
    });
  }
}

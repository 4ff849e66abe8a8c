import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainEvents, type DomainEvent } from '../../events/domain-events.js';
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
  type EventPayload,
} from './domain/event-payloads.js';

/**
 * Transactional outbox: the transaction of a domain event also inserts its webhook deliveries. Deliveries of an event about
 * one user are collected and inserted with the next statement or at the commit; those of a checkpoint are inserted at once.
 */
@Injectable()
export class OutboxListener implements OnModuleInit {
  constructor(
    private readonly domainEvents: DomainEvents,
    private readonly deliveries: DeliveriesRepository,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.insertUserDeliveriesOn<DepositEvent>('deposit', depositEvent);
    this.insertUserDeliveriesOn<InvestmentEvent>('investment', investmentEvent);
    this.insertUserDeliveriesOn<WithdrawalEvent>('withdrawal', withdrawalEvent);
    this.domainEvents.subscribe<LogCheckpointEvent>('log', (tx, domainEvent) =>
      this.deliveries.insertDeliveriesForAll(tx, checkpointEvent(domainEvent), this.clock.now()),
    );
  }

  private insertUserDeliveriesOn<E extends DomainEvent>(
    topic: string,
    toPayload: (domainEvent: E) => EventPayload | undefined,
  ): void {
    this.domainEvents.subscribe<E>(topic, async (tx, domainEvent) => {
      const payload = toPayload(domainEvent);
      if (payload) this.deliveries.insertDeliveriesForUser(tx, domainEvent.userId, payload, this.clock.now());
    });
  }
}

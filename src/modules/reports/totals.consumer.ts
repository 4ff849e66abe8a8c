import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { PlatformEvent } from '../../events/domain-events.js';
import { EventConsumers, type EventConsumer, type RecordedEvent } from '../../events/event-consumers.js';
import type { Tx } from '../../database/unit-of-work.js';
import type { DepositEvent } from '../deposits/deposit.events.js';
import type { InvestmentEvent } from '../investments/investment.events.js';
import type { BalanceChangedEvent } from '../ledger/balance.events.js';
import type { WithdrawalEvent, WithdrawalOnChainEvent } from '../withdrawals/withdrawal.events.js';
import { TotalMarksRepository } from './total-marks.repository.js';

type MoneyEvent =
  DepositEvent | InvestmentEvent | BalanceChangedEvent | WithdrawalEvent | WithdrawalOnChainEvent;

/** Marks the hours whose sums of lists and reports an event changes, and keeps the gaps of users between their investments. */
@Injectable()
export class TotalsConsumer implements EventConsumer, OnModuleInit {
  readonly name = 'totals';
  readonly topics = ['withdrawal', 'withdrawal-on-chain', 'deposit', 'investment', 'balance'];

  constructor(
    private readonly consumers: EventConsumers,
    private readonly marks: TotalMarksRepository,
  ) {}

  onModuleInit(): void {
    this.consumers.register(this);
  }

  consume(tx: Tx, recorded: readonly RecordedEvent[]): Promise<void> {
    const events = recorded.map(({ event }) => event as PlatformEvent as MoneyEvent);
    const idsOf = (field: 'withdrawalId' | 'depositId' | 'investmentId') => [
      ...new Set(events.flatMap((event) => (field in event ? [String(event[field as never])] : []))),
    ];
    this.marks.markChanged(tx, {
      withdrawalIds: idsOf('withdrawalId'),
      depositIds: idsOf('depositId'),
      investmentIds: idsOf('investmentId'),
      times: events.map(({ at }) => at),
    });
    const investors = events.flatMap((event) => ('investmentId' in event ? [event.userId] : []));
    if (investors.length > 0) this.marks.replaceGaps(tx, [...new Set(investors)]);
    return Promise.resolve();
  }
}

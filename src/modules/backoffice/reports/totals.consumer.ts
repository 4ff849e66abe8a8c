import { Injectable } from '@nestjs/common';
import { Consumer } from '../../../events/consumer.decorator.js';
import type { DomainEvent } from '../../../events/domain-events.js';
import type { RecordedEvent } from '../../../events/event-consumers.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { ReportSumsRepository } from './report-sums.repository.js';

/**
 * Marks the hours whose sums of lists and reports an event changes, and recomputes the times in which users had no open investment
 * (`user_gap`).
 */
@Injectable()
export class TotalsConsumer {
  constructor(private readonly sums: ReportSumsRepository) {}

  @Consumer({
    name: 'totals',
    topics: ['withdrawal', 'withdrawal-on-chain', 'deposit', 'investment', 'balance'],
    isSummary: true,
  })
  consume(tx: Tx, events: readonly RecordedEvent[]): Promise<void> {
    const idsOf = (type: string) => [
      ...new Set(events.flatMap(({ subject }) => (subject.type === type && subject.id ? [subject.id] : []))),
    ];
    this.sums.markChanged(tx, {
      withdrawalIds: idsOf('withdrawal'),
      depositIds: idsOf('deposit'),
      investmentIds: idsOf('investment'),
      times: events.map(({ event }) => event.at),
    });
    const investors = events
      .filter(({ subject }) => subject.type === 'investment')
      .map(({ event }) => (event as DomainEvent).userId);
    if (investors.length > 0) this.sums.replaceGaps(tx, [...new Set(investors)]);
    return Promise.resolve();
  }
}

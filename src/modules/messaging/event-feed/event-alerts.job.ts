import { Injectable } from '@nestjs/common';
import { EventBacklogRepository, type EventBacklog } from '../../../events/event-backlog.repository.js';
import { EventConsumers } from '../../../events/event-consumers.js';
import { Job } from '../../../jobs/job.decorator.js';
import { AlertsService } from '../../core/alerts/alerts.service.js';
import type { AlertKind, NewAlert } from '../../core/alerts/alerts.types.js';

const MAX_LAG_SECONDS = 60;

interface WatchedCondition {
  readonly kind: AlertKind;
  readonly applies: (backlog: EventBacklog) => boolean;
  readonly textsOf: (backlog: EventBacklog) => Pick<NewAlert, 'message' | 'nextStep'>;
}

const CONDITIONS: readonly WatchedCondition[] = [
  {
    kind: 'events-behind',
    applies: ({ lagSeconds }) => lagSeconds > MAX_LAG_SECONDS,
    textsOf: ({ consumer }) => ({
      message: `The consumer ${consumer} has not handled an event for more than a minute after its commit.`,
      nextStep:
        'End the oldest transaction that writes (select pid, xact_start, query from pg_stat_activity order by xact_start). If there ' +
        'is none, read the warnings of EventDispatcher, EventWebhook and CommittedEvents in the log.',
    }),
  },
  {
    kind: 'events-parked',
    applies: ({ failures }) => failures > 0,
    textsOf: ({ consumer }) => ({
      message: `The consumer ${consumer} could not handle an event and has passed it over.`,
      nextStep:
        `Read select event_id, error from event_failure where consumer = '${consumer}', correct the cause, and send ` +
        'POST /api/admin/events/{event_id}/repeat for each event.',
    }),
  },
];

/** Raises alerts about consumers that are late or have passed over events, and resolves the alerts when this has ended. */
@Injectable()
export class EventAlertsJob {
  constructor(
    private readonly consumers: EventConsumers,
    private readonly backlog: EventBacklogRepository,
    private readonly alerts: AlertsService,
  ) {}

  @Job({
    name: 'event-alerts',
    purpose:
      'Raises alerts about consumers of events that are late or have passed over events, and resolves them',
    everySeconds: 10,
    exclusive: true,
  })
  async updateAlerts(): Promise<void> {
    const backlogs = await this.backlog.findBacklogs(this.consumers.cursorNames);
    const open = await this.alerts.listOpenAlerts(CONDITIONS.map(({ kind }) => kind));
    for (const { kind, applies, textsOf } of CONDITIONS) {
      const affected = new Set(backlogs.filter(applies).map(({ consumer }) => consumer));
      const reported = open.filter((alert) => alert.kind === kind).map(({ subjectId }) => subjectId);
      for (const backlog of backlogs) {
        const { consumer: id } = backlog;
        if (affected.has(id) && !reported.includes(id))
          await this.alerts.raise({ kind, subject: { type: 'consumer', id }, ...textsOf(backlog) });
      }
      for (const consumer of reported.filter((name) => !affected.has(name)))
        await this.alerts.resolveBySystem(kind, consumer);
    }
  }
}

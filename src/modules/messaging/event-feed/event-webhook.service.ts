import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { realNow } from '../../../common/clock.js';
import { MINUTE_MS, SECOND_MS } from '../../../common/durations.js';
import { httpAddress } from '../../../common/http-address.js';
import { AppConfig } from '../../../config/app-config.js';
import { CommittedEvents, type EventReader } from '../../../events/committed-events.service.js';
import { EventBacklogRepository } from '../../../events/event-backlog.repository.js';
import { EventConsumers } from '../../../events/event-consumers.js';
import { EventLogRepository } from '../../../events/event-log.repository.js';
import { Leases } from '../../../jobs/leases.js';
import { AlertsService } from '../../core/alerts/alerts.service.js';
import type { NewAlert } from '../../core/alerts/alerts.types.js';
import { callReceiver } from '../webhooks/receivers.service.js';
import type { Attempt } from '../webhooks/webhooks.types.js';
import { toFeedEvent, type FeedEvent } from './event-feed.mapper.js';

/** Sends events to EVENT_WEBHOOK_URL as CloudEvents 1.0 in the structured mode, signed according to Standard Webhooks. */
@Injectable()
export class EventWebhookClient {
  constructor(private readonly config: AppConfig) {}

  get isConfigured(): boolean {
    return this.config.EVENT_WEBHOOK_URL !== undefined;
  }

  /** Makes one attempt. Rejects only if `interrupted` is aborted. */
  send(event: FeedEvent, interrupted: AbortSignal): Promise<Attempt> {
    const { EVENT_WEBHOOK_URL = '', EVENT_WEBHOOK_SECRET: secret = '' } = this.config;
    const { url, headers: credentials } = httpAddress(EVENT_WEBHOOK_URL);
    const body = this.bodyOf(event);
    const at = realNow(); // receivers compare the time with their own clocks
    const headers = {
      ...credentials,
      'content-type': 'application/cloudevents+json',
      'user-agent': 'stablecoin-platform-events',
      'webhook-id': event.id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(event.id, at, body),
    };
    return callReceiver({ url, headers, body }, interrupted);
  }

  /** The number and the user are extension attributes, whose names may contain lower-case letters and digits only. */
  private bodyOf({ number, id, type, at, userId, subject, data }: FeedEvent): string {
    return JSON.stringify({
      specversion: '1.0',
      id,
      source: this.config.PUBLIC_URL,
      type,
      time: at.toISOString(),
      subject: `${subject.type}/${subject.id}`,
      datacontenttype: 'application/json',
      number: String(number),
      ...(userId === null ? {} : { userid: userId }),
      data,
    });
  }
}

/** The cursor of the event webhook in the table `event_consumer`. */
const EVENT_WEBHOOK_CONSUMER = 'event-webhook';
const PAGE_EVENTS = 100;
const MIN_DELAY_MS = SECOND_MS;
const MAX_DELAY_MS = 5 * MINUTE_MS;
/** After this time without success an event raises an alert. */
const ALERT_AFTER_MS = 5 * MINUTE_MS;

const FAILING_ALERT: NewAlert = {
  kind: 'event-webhook-failing',
  subject: { type: 'setting', id: 'EVENT_WEBHOOK_URL' },
  message: 'EVENT_WEBHOOK_URL has not accepted an event for five minutes. The events after it wait.',
  nextStep:
    'Read the cause in the log (an event was not accepted), and repair the receiver. The service repeats the event by itself, at ' +
    'least every five minutes; a restart repeats it at once. If the webhook was removed, resolve this alert.',
};

/**
 * Sends the events of the feed to EVENT_WEBHOOK_URL, one after the other in the order of their numbers, each until it is accepted.
 * A lease lets one process do so at a time. The cursor moves after each success, so an event can be sent twice after a crash.
 */
@Injectable()
export class EventWebhookService
  implements EventReader, OnModuleInit, OnApplicationBootstrap, OnModuleDestroy
{
  readonly pauseMs = 0;
  private readonly log = new Logger('EventWebhook');
  private readonly stopping = new AbortController();
  private run: Promise<void> | undefined;
  /** The number up to which this process knows that all events are sent. */
  private sentUpTo = 0;
  /** Whether the alert may be open; true at the start, because an earlier process may have raised it. */
  private mayBeReported = true;

  constructor(
    private readonly committed: CommittedEvents,
    private readonly consumers: EventConsumers,
    private readonly events: EventLogRepository,
    private readonly backlog: EventBacklogRepository,
    private readonly leases: Leases,
    private readonly client: EventWebhookClient,
    private readonly alerts: AlertsService,
  ) {}

  get isInUse(): boolean {
    return this.committed.isLeader && !this.stopping.signal.aborted;
  }

  onModuleInit(): void {
    if (!this.client.isConfigured) return;
    this.consumers.registerCursor(EVENT_WEBHOOK_CONSUMER);
    this.committed.addReader(this);
  }

  /** The webhook begins with the events that are committed after its first configuration. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.client.isConfigured) await this.events.insertConsumers([EVENT_WEBHOOK_CONSUMER]);
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.run;
  }

  /** Starts a run without awaiting it, so that the other readers are not delayed. */
  onCheck({ isPoll }: { isPoll: boolean }): void {
    if (isPoll) this.sentUpTo = 0; // the cursor may have been set back
    if (!this.isInUse || this.committed.reached <= this.sentUpTo) return;
    this.run ??= this.sendOrWarn().finally(() => (this.run = undefined));
  }

  private async sendOrWarn(): Promise<void> {
    try {
      if (await this.hasEvents())
        await this.leases.runExclusively(EVENT_WEBHOOK_CONSUMER, () => this.sendAll());
    } catch (error) {
      if (this.stopping.signal.aborted) return;
      this.log.warn({ msg: 'events were not sent to EVENT_WEBHOOK_URL; the next poll goes on', err: error });
    }
  }

  /** Spares the lease if there is nothing to send. */
  private async hasEvents(): Promise<boolean> {
    const upTo = this.committed.reached;
    const after = await this.backlog.findCursor(EVENT_WEBHOOK_CONSUMER);
    if (after === undefined || upTo === 0) return false;
    const [first] = await this.events.findPage({ after, upTo }, 1);
    if (!first) this.sentUpTo = upTo;
    return first !== undefined;
  }

  private async sendAll(): Promise<void> {
    let hasMore = true;
    while (hasMore && this.isInUse) hasMore = await this.sendPage();
  }

  /** Returns whether more events may follow. */
  private async sendPage(): Promise<boolean> {
    const upTo = this.committed.reached;
    const after = await this.backlog.findCursor(EVENT_WEBHOOK_CONSUMER);
    if (after === undefined) return false;
    const page = await this.events.findPage({ after, upTo }, PAGE_EVENTS);
    for (const row of page) {
      const event = toFeedEvent(row);
      if (!event || !(await this.isKept(event))) continue; // the next success, or the end of the page, moves the cursor past it
      if (!(await this.sendUntilAccepted(event))) return false;
      await this.backlog.moveCursor(EVENT_WEBHOOK_CONSUMER, event.number);
    }
    const last = page.at(-1);
    if (last) await this.backlog.moveCursor(EVENT_WEBHOOK_CONSUMER, last.number);
    if (page.length < PAGE_EVENTS) this.sentUpTo = upTo;
    return page.length === PAGE_EVENTS || this.committed.reached > upTo;
  }

  /**
   * Returns true when the event is accepted, or deleted because its user was erased; false if another process has to send it.
   */
  private async sendUntilAccepted(event: FeedEvent): Promise<boolean> {
    const beganAtMs = performance.now();
    for (let delayMs = MIN_DELAY_MS; this.isInUse; delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)) {
      const { failure, responseStatus } = await this.client.send(event, this.stopping.signal);
      if (failure === null) {
        await this.resolveAlert();
        return true;
      }
      this.log.warn({ msg: 'an event was not accepted', eventId: event.id, failure, status: responseStatus });
      const failingMs = performance.now() - beganAtMs;
      if (failingMs >= ALERT_AFTER_MS) await this.raiseAlert();
      // The attempt at the end of the five minutes decides about the alert.
      const untilAlertMs = failingMs < ALERT_AFTER_MS ? ALERT_AFTER_MS - failingMs : Infinity;
      await sleep(Math.min(delayMs, untilAlertMs), undefined, { signal: this.stopping.signal });
      if (!(await this.isKept(event))) return true;
    }
    return false;
  }

  /** Whether the event is still recorded: the erasure of a user deletes their events, also while earlier events wait here. */
  private async isKept({ number, id }: FeedEvent): Promise<boolean> {
    const [row] = await this.events.findPage({ after: number - 1, upTo: number }, 1);
    return row?.id === id;
  }

  private async raiseAlert(): Promise<void> {
    this.mayBeReported = true;
    await this.alerts.raise(FAILING_ALERT);
  }

  private async resolveAlert(): Promise<void> {
    if (!this.mayBeReported) return;
    await this.alerts.resolveBySystem(FAILING_ALERT.kind, FAILING_ALERT.subject.id);
    this.mayBeReported = false;
  }
}

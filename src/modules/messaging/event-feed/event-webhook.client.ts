import { Injectable } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { realNow } from '../../../common/clock.js';
import { httpAddress } from '../../../common/http-address.js';
import { AppConfig } from '../../../config/app-config.js';
import { callReceiver } from '../webhooks/receiver.client.js';
import type { Attempt } from '../webhooks/webhooks.types.js';
import type { FeedEvent } from './event-feed.types.js';

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

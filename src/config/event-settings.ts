import { url, webhookSecret } from './readers.js';
import { setting } from './setting.js';

/** The settings of the event webhook. */
export const EVENT_SETTINGS = {
  EVENT_WEBHOOK_URL: setting(
    url('http:', 'https:'),
    undefined,
    "the operator's own receiver of all events, in order (docs/events.md); without it none is sent",
    { mayBeLocal: true },
  ),
  EVENT_WEBHOOK_SECRET: setting(
    webhookSecret,
    undefined,
    'signs the requests to EVENT_WEBHOOK_URL; required where EVENT_WEBHOOK_URL is set',
    { isSecret: true },
  ),
} as const;

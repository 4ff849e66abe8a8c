import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { CallbackSender, Delivery } from './callbacks.js';
import type { SandboxSettings } from './sandbox-settings.js';

export interface YieldReport {
  strategyId: string;
  /** YYYY-MM-DD, UTC. */
  day: string;
  /** The yearly rate in percent, as a decimal string. */
  apy: string;
  /** The realised yield in USDC, as a decimal string. */
  realisedAmount?: string;
}

/** The custody provider: reports achieved yields, signed according to the Standard Webhooks specification. */
export class CustodyProvider {
  constructor(
    private readonly settings: SandboxSettings,
    private readonly api: { url: string },
    private readonly callbacks: CallbackSender,
  ) {}

  /** Sends the report in the background; `delivery` resolves with its result. */
  report(data: YieldReport): { webhookId: string; delivery: Promise<Delivery> } {
    const webhookId = `msg_${randomUUID()}`;
    const webhook = new Webhook(this.settings.CUSTODY_WEBHOOK_SECRET);
    const body = JSON.stringify({ type: 'yield.reported', data });
    const delivery = this.callbacks.deliver({
      url: () => `${this.api.url}/api/webhooks/${this.settings.CUSTODY_PROVIDER_NAME}/yield`,
      body,
      // The id is the same in every attempt, so that the platform recognises repetitions.
      headers: () => {
        const sentAt = new Date();
        return {
          'webhook-id': webhookId,
          'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
          'webhook-signature': webhook.sign(webhookId, sentAt, body),
        };
      },
    });
    return { webhookId, delivery };
  }

  stop(): void {
    this.callbacks.stop();
  }
}

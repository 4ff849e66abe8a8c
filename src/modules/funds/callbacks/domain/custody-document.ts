import { Webhook } from 'standardwebhooks';
import type { Schema } from '../../../../http/openapi/schemas.js';
import { callbackOf, infoOf, messageRef, type HeaderDescription } from './provider-document-parts.js';

/** The body of a callback, as an example. */
export const YIELD_CALLBACK = {
  type: 'yield.reported',
  data: { strategyId: 'balanced-10', day: '2026-03-01', apy: '10.2', realisedAmount: '27.95' },
};

/** A signature that readers can recompute. */
const SIGNED = {
  secret: `whsec_${Buffer.from('example-custody-provider-secret').toString('base64')}`,
  id: 'msg_1',
  timestamp: '1772445600',
  body: JSON.stringify(YIELD_CALLBACK),
};
const SIGNATURE = new Webhook(SIGNED.secret).sign(
  SIGNED.id,
  new Date(Number(SIGNED.timestamp) * 1000),
  SIGNED.body,
);

export const CUSTODY_PROVIDER_HEADERS: readonly HeaderDescription[] = [
  {
    name: 'webhook-id',
    description: 'Id of the message; a repetition has the same id.',
    example: SIGNED.id,
  },
  {
    name: 'webhook-timestamp',
    description: 'Time of the signature, in seconds since 1970.',
    example: SIGNED.timestamp,
  },
  {
    name: 'webhook-signature',
    description:
      '`v1,` and base64 of the HMAC-SHA256 of id.timestamp.body with CUSTODY_WEBHOOK_SECRET, according to Standard Webhooks. ' +
      'The example is that of `x-signature-example` in docs/providers/custody.json.',
    example: SIGNATURE,
  },
];

const DESCRIPTION = `What a custody provider, or a program of the operator in its place, sends to the platform. The platform calls nothing at the custody provider: operators pay
withdrawals there by hand.

Callbacks are signed according to Standard Webhooks (https://www.standardwebhooks.com): the key is the base64-decoded part of CUSTODY_WEBHOOK_SECRET behind
\`whsec_\`, the signed text is the id, a full stop, the timestamp in seconds, a full stop and the exact bytes of the body. The header webhook-signature has \`v1,\` and the base64 text of the
HMAC-SHA256; several signatures are separated by spaces, and one has to be right. The platform refuses a timestamp that differs from its clock by more
than five minutes. \`x-signature-example\` is an example to recompute.`;

export function custodyDocument(schemas: Record<string, Schema>, version: string): object {
  return {
    openapi: '3.1.0',
    info: infoOf('custody provider', version, DESCRIPTION),
    servers: [{ url: 'https://api.example', description: 'CALLBACK_URL or PUBLIC_URL' }],
    security: [],
    'x-signature-example': { ...SIGNED, signature: SIGNATURE },
    webhooks: {
      yield: callbackOf({
        operationId: 'reportYield',
        summary: 'The rate that a strategy achieved on a day',
        path: '/api/webhooks/{CUSTODY_PROVIDER_NAME}/yield',
        description:
          'A later report of the same day, with an id of its own, is a correction. A report whose rate or amount is beyond the tolerance waits for an admin.',
        headers: CUSTODY_PROVIDER_HEADERS,
        schema: messageRef('YieldReportMessage'),
        example: YIELD_CALLBACK,
      }),
    },
    components: { schemas },
  };
}

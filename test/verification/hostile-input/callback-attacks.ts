import { Webhook } from 'standardwebhooks';
import { SANDBOX_SETTINGS } from '../../../src/sandbox/sandbox-settings.js';
import { signedHeaders } from '../../../src/sandbox/signature.js';
import type { SeededRandom } from '../../harness/seeded-random.js';
import { depositBody } from '../../fixtures/provider-callbacks.js';
import { draft, type Attack } from './attack.js';
import { DATE_VALUES, NUMBER_VALUES, TEXT_VALUES } from './values.js';

// Provider callbacks with a valid signature and one invalid value.

const UNKNOWN_ADDRESS = 'TUnknownUnknownUnknownUnknownUnkno';

const JSON_VALUE = /:("(?:[^"\\]|\\.)*"|-?\d[\d.]*|null|true|false|\[\])/g;

function withOneValueReplaced(body: string, json: string, random: SeededRandom): string {
  const values = [...body.matchAll(JSON_VALUE)];
  const { index, 0: whole } = random.oneOf(values);
  return `${body.slice(0, index)}:${json}${body.slice(index + whole.length)}`;
}

const signedCallback = (name: string, json: (random: SeededRandom) => string): Attack => ({
  name: `callback: ${name}`,
  fits: ({ path }) => /^\/api\/webhooks\/\{provider\}\/(deposit|withdrawal)$/.test(path),
  make: (context) => {
    const { operation, random } = context;
    const path = operation.path.replace('{provider}', SANDBOX_SETTINGS.DEPOSIT_PROVIDER_NAME);
    const body = withOneValueReplaced(depositBody({ address: UNKNOWN_ADDRESS }), json(random), random);
    const { DEPOSIT_PROVIDER_KEY: key, DEPOSIT_PROVIDER_SECRET: secret } = SANDBOX_SETTINGS;
    const headers = signedHeaders({ key, secret }, { method: 'POST', url: `http://127.0.0.1${path}`, body });
    return draft(context, { path, body, headers: Object.entries(headers) });
  },
});

/** A yield report of the custody provider with an invalid day. */
const INVALID_YIELD_DAY: Attack = {
  name: 'callback: day of a yield report',
  fits: ({ path }) => path === '/api/webhooks/{provider}/yield',
  make: (context) => {
    const { operation, random } = context;
    const path = operation.path.replace('{provider}', SANDBOX_SETTINGS.CUSTODY_PROVIDER_NAME);
    const data = { strategyId: 'balanced-10', day: random.oneOf(DATE_VALUES), apy: '10.00' };
    const body = JSON.stringify({ type: 'yield.reported', data });
    const id = `msg_${random.integer(1, 1e9)}`;
    const sentAt = new Date();
    const headers: [string, string][] = [
      ['webhook-id', id],
      ['webhook-timestamp', String(Math.floor(sentAt.getTime() / 1000))],
      ['webhook-signature', new Webhook(SANDBOX_SETTINGS.CUSTODY_WEBHOOK_SECRET).sign(id, sentAt, body)],
    ];
    return draft(context, { path, body, headers });
  },
};

export const CALLBACK_ATTACKS: readonly Attack[] = [
  INVALID_YIELD_DAY,
  signedCallback('text', (random) => JSON.stringify(random.oneOf(Object.values(TEXT_VALUES)))),
  signedCallback('number', (random) =>
    random.oneOf(NUMBER_VALUES.filter((text) => /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text))),
  ),
  signedCallback('number as text', (random) => JSON.stringify(random.oneOf(NUMBER_VALUES))),
  signedCallback('date', (random) => JSON.stringify(random.oneOf(DATE_VALUES))),
  signedCallback('wrong type', (random) =>
    random.oneOf(['null', 'true', '[]', '{}', '[[1]]', '{"a":{"b":1}}', '""', '0']),
  ),
  signedCallback('key twice', () => '1,"data":{},"data":[]'),
  signedCallback('nested too deeply', () => '['.repeat(40) + ']'.repeat(40)),
];

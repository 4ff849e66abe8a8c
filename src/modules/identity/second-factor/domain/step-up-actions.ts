import { createHash } from 'node:crypto';
import { canonicalJson, type JsonValue } from '../../../../common/canonical-json.js';
import { canonicalEmail } from '../../../../common/email.js';
import { throwError } from '../../../../common/errors/domain-error.js';
import { Money } from '../../../../common/money.js';
import type { StepUpAction } from '../../../../http/auth/step-up.js';

type FieldKind = 'amount' | 'text' | 'address' | 'hash' | 'list' | 'email' | 'payments';
interface Field {
  readonly kind: FieldKind;
  readonly isOptional?: true;
}

const ADDRESS: Field = { kind: 'address' };
const EMAIL: Field = { kind: 'email' };
const TEXT: Field = { kind: 'text' };
const OPTIONAL_TEXT: Field = { kind: 'text', isOptional: true };

/** The fields of the details of each action. They bind the token to what the user has seen. */
const DETAILS = {
  'withdrawal.request': { amount: { kind: 'amount' }, currency: TEXT, toAddress: ADDRESS },
  'address.add': { address: ADDRESS },
  'address.remove': { address: ADDRESS },
  'api-key.create': {
    name: TEXT,
    scopes: { kind: 'list' },
    networks: { kind: 'list', isOptional: true },
    expiresAt: OPTIONAL_TEXT,
  },
  'wallet.connect': { address: ADDRESS },
  'wallet.unlink': { address: ADDRESS },
  'factor.add': { kind: TEXT },
  'factor.remove': { kind: TEXT, id: OPTIONAL_TEXT },
  'recovery-codes.new': {},
  'email-notifications.off': {},
  'webhook.create': { url: TEXT },
  'webhook.change': { url: TEXT },
  'withdrawal.complete': { id: TEXT, txHash: { kind: 'hash' } },
  'withdrawal.bulk-complete': { items: { kind: 'payments' } },
  'withdrawal.approve': { id: TEXT },
  'withdrawal.reject': { id: TEXT },
  'withdrawal.release': { id: TEXT },
  'approval.approve': { id: TEXT },
  'screening.accept': { id: TEXT },
  'yield-report.accept': { id: TEXT },
  'integrity.resume': {},
  'log.continue': {},
  // The id of an admin is the e-mail address.
  'factor.reset': { id: EMAIL },
  'admin.password-set': { id: EMAIL },
  'user.email-change': { id: TEXT, email: EMAIL },
  'user.factor-reset': { id: TEXT },
  'user.hold-end': { id: TEXT },
  'user.tier-change': { id: TEXT, tier: TEXT },
  'user.unlock': { id: TEXT },
  'account.unlock': {},
} as const satisfies Record<StepUpAction, Record<string, Field>>;

/** The names of the details of each action for the OpenAPI document, such as `factor.remove: kind, id?`. */
export const DETAILS_BY_ACTION = Object.entries(DETAILS)
  .map(([action, fields]: [string, Readonly<Record<string, Field>>]) => {
    const names = Object.entries(fields).map(([name, { isOptional }]) => (isOptional ? `${name}?` : name));
    return `${action}: ${names.join(', ') || 'none'}`;
  })
  .join('; ');

export type Details = Readonly<Record<string, unknown>>;

/**
 * SHA-256 of the RFC 8785 JSON of the action's details. Equal values have one spelling: amounts as the API writes them, e-mail addresses
 * as accounts have them, addresses in lower case, transaction hashes in lower case without 0x, lists sorted, payments by id; null and
 * absent are the same. Throws VALIDATION_ERROR for a missing, unknown or malformed field.
 */
export function hashOfDetails(action: StepUpAction, details: Details): Buffer {
  const fields: Readonly<Record<string, Field>> = DETAILS[action];
  for (const name of Object.keys(details))
    if (!Object.hasOwn(fields, name)) failField(name, 'is not a detail of this action');
  const members: Record<string, JsonValue> = {};
  for (const [name, { kind, isOptional }] of Object.entries(fields)) {
    const value = details[name] ?? undefined;
    if (value === undefined && isOptional) continue;
    members[name] = canonicalValue(kind, value) ?? failField(name, MESSAGES[kind]);
  }
  return hashOf(members);
}

function hashOf(members: Readonly<Record<string, JsonValue>>): Buffer {
  return createHash('sha256').update(canonicalJson(members)).digest();
}

/** `hashOfDetails` of an action without details. */
export const NO_DETAILS = hashOf({});

/** The details of an action among the fields of a request. */
export function detailsOf(action: StepUpAction, request: Details): Details {
  const names = Object.keys(DETAILS[action]);
  return Object.fromEntries(names.map((name) => [name, request[name]]));
}

const MESSAGES: Record<FieldKind, string> = {
  amount: 'must be a decimal string such as "10.00"',
  text: 'must be text',
  address: 'must be 0x and 40 hex digits',
  hash: 'must be 64 hex digits',
  list: 'must be a list of texts',
  email: 'must be an e-mail address',
  payments: 'must be a list of {id, txHash}',
};

function canonicalValue(kind: FieldKind, value: unknown): JsonValue | undefined {
  if (kind === 'amount') return Money.parse(value)?.toWire();
  if (kind === 'list') return isTextList(value) ? [...value].sort() : undefined;
  if (kind === 'payments') return canonicalPayments(value);
  if (typeof value !== 'string' || value === '') return undefined;
  if (kind === 'text') return value;
  if (kind === 'email') return canonicalEmail(value).email;
  if (kind === 'hash') return /^(0x)?([0-9a-f]{64})$/i.exec(value)?.[2]?.toLowerCase();
  return /^0x[0-9a-f]{40}$/i.test(value) ? value.toLowerCase() : undefined;
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Undefined for a list in which an item is malformed or has other fields. */
function canonicalPayments(value: unknown): JsonValue | undefined {
  if (!Array.isArray(value)) return undefined;
  const payments = value.map((item: unknown) => {
    const { id, txHash, ...others } = (item ?? {}) as Record<string, unknown>;
    const hash = canonicalValue('hash', txHash);
    const isPayment = typeof id === 'string' && hash !== undefined && Object.keys(others).length === 0;
    return isPayment ? { id: id.toLowerCase(), txHash: hash } : undefined;
  });
  if (!payments.every((payment) => payment !== undefined)) return undefined;
  return payments.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function failField(name: string, message: string): never {
  return throwError('VALIDATION_ERROR', [{ field: `details.${name}`, message }]);
}

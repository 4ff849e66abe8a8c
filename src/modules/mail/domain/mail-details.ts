import { MICRO_SCALE, type Money } from '../../../common/money.js';
import type { AddressEvent } from '../../addresses/address.events.js';
import type { ApiKeyEvent } from '../../api-keys/api-key.events.js';
import type { DepositEvent } from '../../deposits/deposit.events.js';
import type { EmailChangedEvent, SecurityEvent } from '../../users/security.events.js';
import type { WithdrawalEvent } from '../../withdrawals/withdrawal.events.js';
import type { MailDetails, NewMail } from '../mail.types.js';

// Decides which mails follow from a domain event, and their contents.

export function withdrawalMails(event: WithdrawalEvent): NewMail[] {
  const { name: kind, amount, currency, toAddress, txHash, reason, at } = event;
  const details = { amount: amountText(amount, currency), to: toAddress, at: timeText(at) };
  switch (kind) {
    case 'withdrawal.requested':
      return [moneyMail(kind, details)];
    case 'withdrawal.completed':
      return [moneyMail(kind, { ...details, txHash })];
    case 'withdrawal.rejected':
    case 'withdrawal.failed':
      return [moneyMail(kind, { ...details, reason })];
    default:
      return [];
  }
}

export function depositMails(event: DepositEvent): NewMail[] {
  const { name: kind, amount, currency, credited, network, txHash, at } = event;
  if (kind !== 'deposit.completed') return [];
  const isConverted = credited !== null && currency === 'USDT';
  return [
    moneyMail(kind, {
      amount: amountText(amount, currency),
      credited: isConverted ? amountText(credited, 'USDC') : null,
      network,
      txHash,
      at: timeText(at),
    }),
  ];
}

/** No mail for wallets that were unlinked or suspended. */
export function securityMails(event: SecurityEvent): NewMail[] {
  const { name: kind, at, device, holdUntil, status, reason, wallet } = event;
  switch (kind) {
    case 'security.new-device':
      return [securityMail(kind, { device, at: timeText(at) })];
    case 'security.new-identity':
      return [securityMail(kind, { holdUntil: holdUntil && timeText(holdUntil), at: timeText(at) })];
    case 'security.status-changed':
      return [securityMail(kind, { status, reason, at: timeText(at) })];
    case 'security.wallet-linked':
      return [securityMail(kind, { wallet, at: timeText(at) })];
    default:
      return [];
  }
}

export function addressMails({ name, label, address, usableFrom, at }: AddressEvent): NewMail[] {
  const details = { label, address, usableFrom: timeText(usableFrom), at: timeText(at) };
  return [securityMail(name, details)];
}

/** No mail for keys that were revoked or used from a new network. */
export function apiKeyMails({ name, keyName, prefix, at }: ApiKeyEvent): NewMail[] {
  return name === 'api-key.created'
    ? [securityMail(name, { keyName, keyPrefix: prefix, at: timeText(at) })]
    : [];
}

/** The old and the new address get the same mail, in which both are masked. */
export function emailChangedMails(event: EmailChangedEvent): NewMail[] {
  const { name: kind, from, to, revokedKeys, disabledWebhooks, at } = event;
  const details = {
    oldEmail: maskedEmail(from),
    newEmail: maskedEmail(to),
    revokedKeys: revokedKeys.map(({ name, prefix }) => `${name} (${prefix})`).join(', '),
    disabledWebhooks: disabledWebhooks.map(({ url }) => new URL(url).host).join(', '),
    at: timeText(at),
  };
  return [from, to].map((recipient) => ({ ...securityMail(kind, details), recipient }));
}

type OptionalDetails = { readonly [Detail in keyof MailDetails]: string | null | undefined };

function moneyMail(kind: NewMail['kind'], details: OptionalDetails): NewMail {
  return { kind, details: toDetails(details), isSecurity: false };
}

function securityMail(kind: NewMail['kind'], details: OptionalDetails): NewMail {
  return { kind, details: toDetails(details), isSecurity: true };
}

/** Leaves out absent and empty details. */
function toDetails(details: OptionalDetails): MailDetails {
  const entries = Object.entries(details).flatMap(([name, value]) =>
    value ? [[name, shortenAddresses(oneLine(value))]] : [],
  );
  return Object.fromEntries(entries) as MailDetails;
}

/** Joins the lines of a text, and removes the characters that change its direction. */
export function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/[\u202A-\u202E\u2066-\u2069]/g, '')
    .trim();
}

const ADDRESS = /\b(0x[0-9a-fA-F]{40}|T[1-9A-HJ-NP-Za-km-z]{33})(?![0-9A-Za-z])/g;

/** Shortens every chain address in the text to `0x1234…abcd`. Transaction hashes are longer and stay whole. */
export function shortenAddresses(text: string): string {
  return text.replace(ADDRESS, (address) => `${address.slice(0, 6)}…${address.slice(-4)}`);
}

/** Masks an address as `a…n@example.org`, which is enough to tell two addresses of a user apart. */
export function maskedEmail(email: string): string {
  return email.replace(/^(.).*?(.?)(?=@[^@]*$)/su, '$1…$2');
}

/** Rounded down to six decimals, as responses show amounts. */
function amountText(amount: Money, currency: string): string {
  return `${amount.roundDown(MICRO_SCALE).toWire()} ${currency}`;
}

function timeText(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

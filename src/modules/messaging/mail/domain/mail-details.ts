import { moneyText, oneLine, timeText } from '../../../../common/message-texts.js';
import { networkPrefixOf } from '../../../../http/throttling/caller-address.js';
import type { AdminEvent } from '../../../identity/admins/admins.types.js';
import type { ApprovalEvent } from '../../../identity/approvals/approvals.types.js';
import type { AddressEvent } from '../../../funds/addresses/address.events.js';
import type { ApiKeyEvent } from '../../../identity/api-keys/domain/api-key.js';
import type { DepositEvent } from '../../../funds/deposits/deposit.events.js';
import type { EmailChangedEvent, SecurityEvent } from '../../../identity/users/users.types.js';
import type { WithdrawalEvent } from '../../../funds/withdrawals/withdrawal.events.js';
import type { MailDetails, NewMail } from '../mail.types.js';

// Decides which mails follow from a domain event, and their contents.

/**
 * A mail for every step except a return, after which an operator takes the withdrawal again. No mail contains the reason of a
 * failure, which is a text of the provider.
 */
export function withdrawalMails(event: WithdrawalEvent): NewMail[] {
  const { name: kind, amount, currency, toAddress, txHash, at } = event;
  if (kind === 'withdrawal.returned') return [];
  const reason = kind === 'withdrawal.failed' ? null : event.reason;
  const details = { amount: moneyText(amount, currency), to: toAddress, txHash, reason, at: timeText(at) };
  return [newMail(kind, details)];
}

export function depositMails(event: DepositEvent): NewMail[] {
  const { name: kind, amount, currency, credited, network, txHash, at } = event;
  if (kind !== 'deposit.completed') return [];
  const isConverted = credited !== null && currency === 'USDT';
  return [
    newMail(kind, {
      amount: moneyText(amount, currency),
      credited: isConverted ? moneyText(credited) : null,
      network,
      txHash,
      at: timeText(at),
    }),
  ];
}

/** No mail for wallets that a changed e-mail address suspends: the mails about the change name them. */
export function securityMails(event: SecurityEvent): NewMail[] {
  const { name, at, device, network, isKnownDevice, holdUntil, status, tier, reason, wallet, webhookUrl } =
    event;
  if (name === 'security.wallet-suspended') return [];
  const kind = name === 'security.new-device' && isKnownDevice ? 'security.new-network' : name;
  return [
    newMail(kind, {
      device,
      clientNetwork: network,
      status,
      tier,
      reason,
      wallet,
      webhook: webhookUrl && new URL(webhookUrl).host,
      holdUntil: holdUntil && timeText(holdUntil),
      at: timeText(at),
    }),
  ];
}

export function addressMails({ name, label, address, usableFrom, at }: AddressEvent): NewMail[] {
  const usable = name === 'address.added' ? { usableFrom: timeText(usableFrom) } : {};
  return [newMail(name, { label, address, ...usable, at: timeText(at) })];
}

/** No mail for keys that a changed e-mail address revokes: the mails about the change name them. */
export function apiKeyMails(event: ApiKeyEvent): NewMail[] {
  const { name, keyName, prefix: keyPrefix, address, byEmailChange, at } = event;
  if (byEmailChange) return [];
  const clientNetwork = address && networkPrefixOf(address);
  return [newMail(name, { keyName, keyPrefix, clientNetwork, at: timeText(at) })];
}

/** The old and the new address get the same mail, in which both are masked. */
export function emailChangedMails(event: EmailChangedEvent): NewMail[] {
  const { name: kind, from, to, suspendedWallets, revokedKeys, disabledWebhooks, holdUntil, at } = event;
  const details = {
    oldEmail: maskedEmail(from),
    newEmail: maskedEmail(to),
    suspendedWallets: suspendedWallets.join(', '),
    revokedKeys: revokedKeys.map(({ name, prefix }) => `${name} (${prefix})`).join(', '),
    disabledWebhooks: disabledWebhooks.map(({ url }) => new URL(url).host).join(', '),
    holdUntil: holdUntil && timeText(holdUntil),
    at: timeText(at),
  };
  return [from, to].map((recipient) => ({ ...newMail(kind, details), recipient }));
}

/** A request goes to the admins who may decide it, a decision to the requester. */
export function approvalMails({ name: kind, approval, at }: ApprovalEvent, deciders: readonly string[]) {
  const { subject, status, requestedBy, decidedBy, reason, note } = approval;
  const isRequest = kind === 'approval.requested';
  const { details } = newMail(kind, {
    change: approval.kind,
    record: subject.label,
    ...(isRequest ? { requestedBy, reason } : { decision: status, decidedBy, note }),
    at: timeText(at),
  });
  const recipients = isRequest ? deciders.filter((email) => email !== requestedBy) : [requestedBy];
  return recipients.map((recipient) => ({ kind, details, recipient }));
}

export function adminMails({ name, email, setBy, approvedBy, at }: AdminEvent) {
  const mail = newMail(name, { requestedBy: setBy, decidedBy: approvedBy, at: timeText(at) });
  return [{ ...mail, recipient: email }];
}

type OptionalDetails = { readonly [Detail in keyof MailDetails]: string | null | undefined };

function newMail(kind: NewMail['kind'], details: OptionalDetails): NewMail {
  return { kind, details: toDetails(details) };
}

/** Leaves out absent and empty details. */
function toDetails(details: OptionalDetails): MailDetails {
  const entries = Object.entries(details).flatMap(([name, value]) =>
    value ? [[name, shortenAddresses(oneLine(value))]] : [],
  );
  return Object.fromEntries(entries) as MailDetails;
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

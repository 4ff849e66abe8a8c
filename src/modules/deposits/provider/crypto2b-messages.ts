import { LosslessNumber, parse } from 'lossless-json';
import { isWithinCalendar } from '../../../common/days.js';
import { Money } from '../../../common/money.js';
import type { ProviderDeposit } from './deposit-provider.js';

// The provider's JSON. Its amounts are JSON numbers: they are read by their digits and never become a float.

type Fields = Record<string, unknown>;

const AMOUNT = /^\d{1,18}(\.\d{1,18})?([eE][+-]?\d{1,2})?$/;
const MOST = Money.of('1000000000000000000');
const ETHER_DECIMALS = 18;
const LONGEST_TEXT = 200;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/** JSON whose numbers keep their digits; undefined when it is none. */
export function parseMessage(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

export function fieldsOf(value: unknown): Fields {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && !(value instanceof LosslessNumber) ? (value as Fields) : {};
}

/** Text of 1 to 200 characters, or the digits of a number. */
export function textOf(value: unknown): string | undefined {
  const text = value instanceof LosslessNumber ? value.value : value;
  return typeof text === 'string' && text.length > 0 && text.length <= LONGEST_TEXT ? text : undefined;
}

function amountOf(value: unknown): Money | undefined {
  const digits = textOf(value);
  if (digits === undefined || !AMOUNT.test(digits)) return undefined;
  const amount = Money.of(digits);
  const isWhole = amount.equals(amount.roundDown(ETHER_DECIMALS));
  return amount.isPositive() && isWhole && !amount.isMoreThan(MOST) ? amount : undefined;
}

function confirmationsOf(value: unknown): number | undefined {
  if (value === null || value === undefined) return 0;
  const digits = textOf(value);
  return digits !== undefined && /^\d{1,9}$/.test(digits) ? Number(digits) : undefined;
}

function instantOf(value: unknown): Date | null {
  const text = textOf(value);
  const instant = text !== undefined && INSTANT.test(text) ? new Date(text) : undefined;
  return instant && isWithinCalendar(instant) ? instant : null;
}

/** A deposit out of a callback's `data` or an item of the list; undefined when it makes no sense. */
export function readDeposit(data: unknown): ProviderDeposit | undefined {
  const message = fieldsOf(data);
  const [instrument, address, transaction] = [message.instrument, message.address, message.transaction].map(
    fieldsOf,
  );
  const told = {
    id: textOf(message.id),
    status: textOf(message.status),
    currency: textOf(instrument?.currencyShortName)?.toUpperCase(),
    network: textOf(instrument?.transportProtocol)?.toUpperCase(), // Compares without case
    address: textOf(address?.address),
    amount: amountOf(transaction?.amount),
    confirmations: confirmationsOf(transaction?.confirmations),
  };
  if (message.type !== 'Deposit' || Object.values(told).includes(undefined)) return undefined;
  return {
    ...(told as { [Name in keyof typeof told]: NonNullable<(typeof told)[Name]> }),
    senderAddress: textOf(address?.senderAddress) ?? null,
    hash: textOf(transaction?.hash) ?? null,
    error: textOf(message.error) ?? null,
    date: instantOf(message.date),
  };
}

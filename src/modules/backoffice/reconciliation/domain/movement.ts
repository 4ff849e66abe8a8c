import type { Money } from '../../../../common/money.js';

export const STATEMENT_SOURCES = ['deposit-provider', 'custody'] as const;
/** The provider whose statement is compared. */
export type StatementSource = (typeof STATEMENT_SOURCES)[number];

export const STATEMENT_FORMATS = ['provider', 'json', 'csv'] as const;
export type StatementFormat = (typeof STATEMENT_FORMATS)[number];

export const MOVEMENT_DIRECTIONS = ['in', 'out'] as const;
/** From the point of view of the provider: `in` is money that it receives. */
export type MovementDirection = (typeof MOVEMENT_DIRECTIONS)[number];

export const MOVEMENT_STATUSES = ['settled', 'underway', 'failed'] as const;
/** Only settled movements have moved money. */
export type MovementStatus = (typeof MOVEMENT_STATUSES)[number];

export const BOOK_RECORD_TYPES = ['deposit', 'withdrawal', 'treasury-transfer', 'admin-transaction'] as const;
export type BookRecordType = (typeof BOOK_RECORD_TYPES)[number];

/** The limit of lines of a statement, and of the platform's records with a posting on the compared days. */
export const MAX_LINES = 20_000;
/** The limit of days of one reconciliation. */
export const MAX_DAYS = 92;

/** A movement as the provider's statement shows it. */
export interface StatementLine {
  /** Line number in a CSV text; otherwise the position in the statement, from 1. */
  readonly line: number;
  /** The id of the movement: the provider's own or the platform's. */
  readonly reference: string;
  readonly txHash: string | null;
  readonly network: string | null;
  readonly currency: string;
  readonly direction: MovementDirection;
  /** With all its decimals. */
  readonly amount: Money;
  /** Midnight UTC if the statement has a date only. */
  readonly at: Date;
  readonly status: MovementStatus;
  /** Receiving address; null if the statement does not name it. */
  readonly address: string | null;
}

/** A movement as the platform's records show it. */
export interface BookRecord {
  readonly type: BookRecordType;
  readonly id: string;
  /** The provider's id of the movement. A statement may show it instead of the platform's id. */
  readonly reference: string | null;
  readonly txHash: string | null;
  readonly network: string | null;
  readonly currency: string;
  readonly direction: MovementDirection;
  readonly status: MovementStatus;
  /** As recorded, with all its decimals. */
  readonly amount: Money;
  /** As posted, in the currency received; null without a posting. */
  readonly posted: Money | null;
  /** Time of the posting; without a posting, the time of the record. */
  readonly at: Date;
  /** Receiving address; null if the record does not name it. */
  readonly address: string | null;
  /** The index of the transfer among the transaction's own logs; null if it is not recorded. */
  readonly logIndex: number | null;
  /** True if the ledger has a posting of the record on the days that are compared. */
  readonly isPostedInRange: boolean;
}

/** Names of statuses in the statements of both providers. */
const STATUS_BY_PROVIDER_STATUS: Record<string, MovementStatus> = {
  success: 'settled',
  completed: 'settled',
  settled: 'settled',
  pending: 'underway',
  processing: 'underway',
  failed: 'failed',
  rejected: 'failed',
};

export const PROVIDER_STATUSES = Object.keys(STATUS_BY_PROVIDER_STATUS);

/** Ignores case; undefined for an unknown status. */
export function parseStatus(providerStatus: string): MovementStatus | undefined {
  const key = providerStatus.toLowerCase();
  return Object.hasOwn(STATUS_BY_PROVIDER_STATUS, key) ? STATUS_BY_PROVIDER_STATUS[key] : undefined;
}

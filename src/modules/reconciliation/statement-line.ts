import type { Money } from '../../common/money.js';

export const SOURCES = ['deposit-provider', 'custody'] as const;
/** Whose statement it is. */
export type Source = (typeof SOURCES)[number];

export const FORMATS = ['provider', 'json', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

export const DIRECTIONS = ['in', 'out'] as const;
export type Direction = (typeof DIRECTIONS)[number];

export const PROGRESS = ['settled', 'underway', 'failed'] as const;
/** How far a movement has come. Only what is settled has moved money. */
export type Progress = (typeof PROGRESS)[number];

/** At most so many lines of a statement, and records of ours beside them. */
export const MOST_LINES = 20_000;
export const MOST_DAYS = 92;

/** A line of a statement, in our own terms. */
export interface StatementLine {
  /** Where it stands: the line of the text for CSV, else its place from 1. */
  readonly line: number;
  readonly reference: string;
  readonly txHash: string | null;
  readonly network: string | null;
  readonly currency: string;
  readonly direction: Direction;
  /** With all its decimals. */
  readonly amount: Money;
  readonly at: Date;
  readonly status: Progress;
  /** Where it went, when the source says so. */
  readonly address: string | null;
}

const WORDS: Record<string, Progress> = {
  success: 'settled',
  completed: 'settled',
  settled: 'settled',
  pending: 'underway',
  processing: 'underway',
  failed: 'failed',
  rejected: 'failed',
};

export const STATUS_WORDS = Object.keys(WORDS);

/** A provider's word for a status, in any case; undefined when it is none that we know. */
export function progressOf(word: string): Progress | undefined {
  const key = word.toLowerCase();
  return Object.hasOwn(WORDS, key) ? WORDS[key] : undefined;
}

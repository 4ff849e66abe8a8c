import { Injectable } from '@nestjs/common';
import { failTooLong, type DayRange } from '../../http/request/date-range.js';
import { addDays, startOfDay } from '../../common/days.js';
import { canonicalHash } from '../deposits/domain/networks.js';
import { DepositProvider, type ProviderDeposit } from '../deposits/deposit-provider.client.js';
import { MOST_LINES, progressOf, type StatementLine } from './statement-line.js';

const PAGE_SIZE = 100;
const MOST_PAGES = MOST_LINES / PAGE_SIZE;

/** What the deposit provider lists of some days, and how many items of it make no sense. */
export interface ProviderStatement {
  readonly lines: readonly StatementLine[];
  readonly unreadable: number;
}

/** Reads the deposit provider's own list instead of a statement. */
@Injectable()
export class ProviderList {
  constructor(private readonly provider: DepositProvider) {}

  /**
   * The days of `range` and one on either side. The list comes newest first, so that reading ends with the first page
   * that is older throughout; what arrives meanwhile moves an item to the next page, where it is seen again.
   * Throws CRYPTO2B_API_ERROR, and INVALID_DATE_RANGE when there is more of it than can be read.
   */
  async of({ from, to }: DayRange): Promise<ProviderStatement> {
    const [earliest, end] = [startOfDay(addDays(from, -1)), startOfDay(addDays(to, 2))];
    const seen = new Map<string, StatementLine>();
    let unreadable = 0;
    for (let page = 0; page < MOST_PAGES; page++) {
      const told = await this.provider.listDeposits(page * PAGE_SIZE, PAGE_SIZE);
      unreadable += told.unreadable;
      let isOlder = told.deposits.length > 0;
      for (const deposit of told.deposits) {
        const line = lineOf(deposit, seen.size + 1);
        if (!line) unreadable += 1;
        if (!line || line.at >= earliest) isOlder = false;
        if (line && line.at >= earliest && line.at < end && !seen.has(deposit.id)) seen.set(deposit.id, line);
      }
      if (told.isLast || isOlder) return { lines: [...seen.values()], unreadable };
    }
    return failTooLong(`${MOST_LINES} deposits at the provider since the first day`);
  }
}

/** Undefined for one that can not be placed: without a date, or with a status that we do not know. */
function lineOf(told: ProviderDeposit, line: number): StatementLine | undefined {
  const status = progressOf(told.status);
  if (!told.date || !status) return undefined;
  return {
    line,
    reference: told.id,
    txHash: told.hash === null ? null : canonicalHash(told.hash),
    network: told.network,
    currency: told.currency,
    direction: 'in',
    amount: told.amount,
    at: told.date,
    status,
    address: told.address,
  };
}

import { Injectable } from '@nestjs/common';
import { failTooLong, type DayRange } from '../../../http/request/date-range.js';
import { addDays, startOfDay } from '../../../common/days.js';
import { DepositProvider } from '../../funds/deposits/deposit-provider.client.js';
import { canonicalHash } from '../../funds/deposits/domain/networks.js';
import type { ProviderDeposit } from '../../funds/deposits/domain/deposit-reports.js';
import { MAX_LINES, parseStatus, type StatementLine } from './domain/movement.js';

const PAGE_SIZE = 100;
const MAX_PAGES = MAX_LINES / PAGE_SIZE;

/** Deposits that the provider lists for some days, and the number of malformed items. */
export interface ProviderStatement {
  readonly lines: readonly StatementLine[];
  readonly unreadable: number;
}

/** Reads the statement from the deposit provider's API. */
@Injectable()
export class ProviderStatementService {
  constructor(private readonly provider: DepositProvider) {}

  /**
   * Reads the days of `range` and one on either side, because near midnight the platform's record can be of the adjacent day.
   * The list is newest first: reading ends with a page of older items only. A new deposit moves the items, so that two pages
   * can contain the same one. Throws CRYPTO2B_API_ERROR, and INVALID_DATE_RANGE if MAX_PAGES do not suffice.
   */
  async fetchStatement({ from, to }: DayRange): Promise<ProviderStatement> {
    const earliest = startOfDay(addDays(from, -1));
    const end = startOfDay(addDays(to, 2));
    const linesById = new Map<string, StatementLine>();
    let unreadable = 0;
    for (let page = 0; page < MAX_PAGES; page++) {
      const listed = await this.provider.listDeposits(page * PAGE_SIZE, PAGE_SIZE);
      unreadable += listed.unreadable;
      let hasOnlyOlder = listed.deposits.length > 0; // malformed items do not show how old the page is
      for (const deposit of listed.deposits) {
        const line = toLine(deposit, linesById.size + 1);
        if (!line) unreadable += 1;
        if (!line || line.at >= earliest) hasOnlyOlder = false;
        const isListed = line && line.at >= earliest && line.at < end && line.amount.isPositive();
        if (isListed && !linesById.has(deposit.id)) linesById.set(deposit.id, line);
      }
      if (listed.isLast || hasOnlyOlder) return { lines: [...linesById.values()], unreadable };
    }
    return failTooLong(`${MAX_LINES} deposits at the provider since the first day`);
  }
}

/** Undefined for a deposit without a date or with an unknown status. */
function toLine(deposit: ProviderDeposit, line: number): StatementLine | undefined {
  const status = parseStatus(deposit.status);
  if (!deposit.date || !status) return undefined;
  return {
    line,
    reference: deposit.id,
    txHash: deposit.hash === null ? null : canonicalHash(deposit.network, deposit.hash),
    network: deposit.network,
    currency: deposit.currency,
    direction: 'in',
    amount: deposit.amount,
    at: deposit.date,
    status,
    address: deposit.address,
  };
}

import { Money } from '../../common/money.js';
import type { PastBalance } from '../balance/balance-history.service.js';
import type { DailyGrowth } from '../investments/investment-history.repository.js';
import type { AvailableEntry } from '../ledger/ledger-history.repository.js';
import type {
  DailyGrowthResponse,
  MovementResponse,
  StatementBalanceResponse,
  StatementResponse,
} from './dto/statement.response.js';
import type { Statement } from './statements.service.js';

/** The response of a statement, whose lists arrive in batches. */
export interface StatementParts {
  readonly head: Omit<StatementResponse, 'movements' | 'growth'>;
  readonly movements: AsyncIterable<MovementResponse[]>;
  readonly growth: AsyncIterable<DailyGrowthResponse[]>;
}

export function toStatementParts({ range, opening, closing, movements, growth }: Statement): StatementParts {
  return {
    head: {
      currency: 'USDC',
      from: range.from,
      to: range.to,
      opening: toStatementBalanceResponse(opening),
      closing: toStatementBalanceResponse(closing),
    },
    movements: toMovementResponses(movements, opening.available),
    growth: toDailyGrowthResponses(growth),
  };
}

function toStatementBalanceResponse(balance: PastBalance): StatementBalanceResponse {
  return {
    total: balance.available.plus(balance.invested).toWire(),
    available: balance.available.toWire(),
    invested: balance.invested.toWire(),
    reserved: balance.reserved.toWire(),
    accruedEarnings: balance.accruedEarnings.toWire(),
  };
}

/** Movements with the running balance after each. */
async function* toMovementResponses(
  batches: AsyncIterable<AvailableEntry[]>,
  opening: Money,
): AsyncGenerator<MovementResponse[], void> {
  let balance = opening;
  for await (const entries of batches) {
    yield entries.map((entry) => {
      balance = balance.plus(entry.amount);
      return {
        date: entry.at.toISOString(),
        type: entry.type,
        referenceType: entry.referenceType,
        referenceId: entry.referenceId,
        description: entry.description,
        amount: entry.amount.toWire(),
        balance: balance.toWire(),
      };
    });
  }
}

async function* toDailyGrowthResponses(
  batches: AsyncIterable<DailyGrowth[]>,
): AsyncGenerator<DailyGrowthResponse[], void> {
  for await (const days of batches) {
    yield days.map(({ date, strategyId, growth }) => ({ date, strategyId, growth: growth.toWire() }));
  }
}

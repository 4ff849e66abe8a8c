import type { Language } from '../../../common/message-texts.js';
import type { PastBalance } from '../balance/balance-history.service.js';
import type { DailyGrowth } from '../../investing/investments/investment-history.repository.js';
import {
  DailyGrowthResponse,
  MovementResponse,
  StatementBalanceResponse,
  type StatementResponse,
} from './dto/statement.response.js';
import type { Movement } from './statements.repository.js';
import type { Statement } from './statements.service.js';
import { toResponse, toResponses } from '../../../http/response/to-response.js';

/** The response of a statement, whose lists arrive in batches. */
export interface StatementParts {
  readonly language: Language;
  readonly head: Omit<StatementResponse, 'movements' | 'growth'>;
  readonly movements: AsyncIterable<MovementResponse[]>;
  readonly growth: AsyncIterable<DailyGrowthResponse[]>;
}

export function toStatementParts({
  range,
  language,
  opening,
  closing,
  movements,
  growth,
}: Statement): StatementParts {
  return {
    language,
    head: {
      currency: 'USDC',
      from: range.from,
      to: range.to,
      opening: toStatementBalanceResponse(opening),
      closing: toStatementBalanceResponse(closing),
    },
    movements: toMovementResponses(movements, opening),
    growth: toDailyGrowthResponses(growth),
  };
}

function toStatementBalanceResponse(balance: PastBalance): StatementBalanceResponse {
  return toResponse(StatementBalanceResponse, balance, { total: balance.available.plus(balance.invested) });
}

/** Movements with the running balances after each. */
async function* toMovementResponses(
  batches: AsyncIterable<Movement[]>,
  opening: PastBalance,
): AsyncGenerator<MovementResponse[], void> {
  let { available, reserved } = opening;
  for await (const movements of batches) {
    yield movements.map((movement) => {
      available = available.plus(movement.available);
      reserved = reserved.plus(movement.reserved);
      return toResponse(MovementResponse, movement, {
        date: movement.at,
        amount: movement.available,
        balance: available,
        reservedAmount: movement.reserved,
        reservedBalance: reserved,
      });
    });
  }
}

async function* toDailyGrowthResponses(
  batches: AsyncIterable<DailyGrowth[]>,
): AsyncGenerator<DailyGrowthResponse[], void> {
  for await (const days of batches) {
    yield toResponses(DailyGrowthResponse, days);
  }
}

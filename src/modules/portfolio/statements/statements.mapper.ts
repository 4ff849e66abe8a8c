import type { Language } from '../../../common/message-texts.js';
import type { PastBalance } from '../balance/balance-history.service.js';
import type { DailyGrowth } from '../../investing/investments/investment-history.repository.js';
import type {
  DailyGrowthResponse,
  MovementResponse,
  StatementBalanceResponse,
  StatementResponse,
} from './dto/statement.response.js';
import type { Movement } from './statements.repository.js';
import type { Statement } from './statements.service.js';

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
  return {
    total: balance.available.plus(balance.invested).toWire(),
    available: balance.available.toWire(),
    invested: balance.invested.toWire(),
    reserved: balance.reserved.toWire(),
    accruedEarnings: balance.accruedEarnings.toWire(),
  };
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
      return {
        date: movement.at.toISOString(),
        type: movement.type,
        referenceType: movement.referenceType,
        referenceId: movement.referenceId,
        description: movement.description,
        amount: movement.available.toWire(),
        balance: available.toWire(),
        reservedAmount: movement.reserved.toWire(),
        reservedBalance: reserved.toWire(),
        txHash: movement.txHash,
        toAddress: movement.toAddress,
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

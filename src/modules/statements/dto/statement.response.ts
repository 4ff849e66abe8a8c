import { Choice, DayText, Instant, ListOf, MoneyText, Nested, Text } from '../../../http/openapi/fields.js';
import { Money } from '../../../common/money.js';
import type { Standing } from '../../balance/balance-history.queries.js';
import type { DailyGrowth } from '../../investments/investment-history.repository.js';
import type { Movement } from '../../ledger/ledger-history.queries.js';

export class StatementBalanceResponse {
  @MoneyText({ description: 'available + invested' }) total!: string;
  @MoneyText() available!: string;
  @MoneyText({ description: 'principal of open investments' }) invested!: string;
  @MoneyText({ description: 'held for withdrawals in progress' }) reserved!: string;
  @MoneyText({ description: 'growth of open investments, not yet realised' }) accruedEarnings!: string;
}

export class MovementResponse {
  @Instant() date!: string;
  @Text({ description: 'what was posted in the ledger', example: 'deposit' }) type!: string;
  @Text({ example: 'deposit' }) referenceType!: string;
  @Text({
    description:
      'id of the deposit, investment or withdrawal; of a partial closing with its number behind a colon',
  })
  referenceId!: string;
  @Text() description!: string;
  @MoneyText({ description: 'below zero when it leaves the available balance' }) amount!: string;
  @MoneyText({ description: 'available after it' }) balance!: string;
}

export class DailyGrowthResponse {
  @DayText() date!: string;
  @Text({ example: 'balanced-10' }) strategyId!: string;
  @MoneyText({ description: 'of investments that were open at the midnight that the day began with' })
  growth!: string;
}

export class StatementResponse {
  @Choice(['USDC']) currency!: string;
  @DayText() from!: string;
  @DayText() to!: string;
  @Nested(() => StatementBalanceResponse, { description: 'before the first day' })
  opening!: StatementBalanceResponse;
  @Nested(() => StatementBalanceResponse, { description: 'at the end of the last day; of today, now' })
  closing!: StatementBalanceResponse;
  @ListOf(() => MovementResponse, {
    description:
      'of the available balance, the oldest first: opening.available + all amounts = closing.available',
  })
  movements!: MovementResponse[];
  @ListOf(() => DailyGrowthResponse, { description: 'of days on which something grew' })
  growth!: DailyGrowthResponse[];
}

/** What stands at the top of a statement. */
export type StatementHead = Omit<StatementResponse, 'movements' | 'growth'>;

export function toStatementBalanceResponse(standing: Standing): StatementBalanceResponse {
  return {
    total: standing.available.plus(standing.invested).toWire(),
    available: standing.available.toWire(),
    invested: standing.invested.toWire(),
    reserved: standing.reserved.toWire(),
    accruedEarnings: standing.accruedEarnings.toWire(),
  };
}

/** Movements with the balance that each leaves behind, in batches as they come. */
export async function* movementViews(
  batches: AsyncIterable<Movement[]>,
  opening: Money,
): AsyncGenerator<MovementResponse[], void> {
  let balance = opening;
  for await (const movements of batches) {
    yield movements.map((movement) => {
      balance = balance.plus(movement.amount);
      return toMovementResponse(movement, balance);
    });
  }
}

function toMovementResponse(movement: Movement, balance: Money): MovementResponse {
  return {
    date: movement.at.toISOString(),
    type: movement.type,
    referenceType: movement.referenceType,
    referenceId: movement.referenceId,
    description: movement.description,
    amount: movement.amount.toWire(),
    balance: balance.toWire(),
  };
}

export async function* growthViews(
  batches: AsyncIterable<DailyGrowth[]>,
): AsyncGenerator<DailyGrowthResponse[], void> {
  for await (const days of batches) {
    yield days.map(({ date, strategyId, growth }) => ({ date, strategyId, growth: growth.toWire() }));
  }
}

import { dayOf } from '../../../common/days.js';
import { phraseText, timeText, type Language, type Phrase } from '../../../common/message-texts.js';
import { Money } from '../../../common/money.js';
import type { DocumentRow, DocumentSection, PrintedDocument } from '../../../http/documents/document.js';
import { toResponse, toResponses } from '../../../http/response/to-response.js';
import type { DailyGrowth } from '../../investing/investments/investment-history.repository.js';
import type { PastBalance } from '../balance/balance.service.js';
import { CLOSING_BALANCES, OPENING_BALANCES, STATEMENT_TEXTS as TEXTS } from './domain/statement-texts.js';
import {
  DailyGrowthResponse,
  MovementResponse,
  StatementBalanceResponse,
  type StatementResponse,
} from './dto/statement.response.js';
import type { Movement } from './statements.repository.js';
import type { Statement, StatementAccount } from './statements.service.js';

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

type Write = (phrase: Phrase, values?: Record<string, string>) => string;

/** A statement as a document to read or print. */
export function toStatementDocument(statement: Statement): PrintedDocument {
  const { language, range, writtenAt, letterhead, account, nameOf } = statement;
  const write: Write = (phrase, values) => phraseText(phrase, language, values);
  return {
    language,
    title: write(TEXTS.title),
    letterhead,
    writtenAt,
    facts: [
      [write(TEXTS.account), accountText(account)],
      [write(TEXTS.period), write(TEXTS.periodText, { from: range.from, to: range.to })],
      [write(TEXTS.currency), 'USDC'],
    ],
    sections: sectionsOf(toStatementParts(statement), dayOf(writtenAt), write, nameOf),
  };
}

export function accountText({ name, email, id }: StatementAccount): string {
  return [...(name ? [name] : []), email, id].join(', ');
}

async function* sectionsOf(
  { head, movements, growth }: StatementParts,
  today: string,
  write: Write,
  nameOf: (strategyId: string) => string,
): AsyncGenerator<DocumentSection, void> {
  const amountColumn = (phrase: Phrase, width = 60) => ({ title: write(phrase), width, isAmount: true });
  const balances = [OPENING_BALANCES, CLOSING_BALANCES].map((phrase, index): DocumentRow => {
    const isOpening = index === 0;
    const { available, reserved, invested, accruedEarnings } = isOpening ? head.opening : head.closing;
    const end = head.to >= today ? write(TEXTS.now) : write(TEXTS.end, { day: head.to });
    const time = isOpening ? write(TEXTS.start, { day: head.from }) : end;
    return { cells: [write(phrase), time, available, reserved, invested, accruedEarnings] };
  });
  yield {
    heading: write(TEXTS.balances),
    table: {
      columns: [
        { title: '', width: 80 },
        { title: write(TEXTS.time), width: 110 },
        ...[TEXTS.available, TEXTS.reserved, TEXTS.invested, TEXTS.accrued].map((phrase) =>
          amountColumn(phrase, 80),
        ),
      ],
      rows: balances,
    },
  };
  yield {
    heading: write(TEXTS.movements),
    table: {
      columns: [
        { title: write(TEXTS.time), width: 82 },
        { title: write(TEXTS.description), width: 170 },
        ...[TEXTS.availableChange, TEXTS.available, TEXTS.reservedChange, TEXTS.reserved].map((phrase) =>
          amountColumn(phrase, 64),
        ),
      ],
      rows: movementRows(movements, write),
    },
  };
  yield {
    heading: write(TEXTS.growth),
    text: write(TEXTS.growthText),
    table: {
      columns: [
        { title: write(TEXTS.strategy), width: 200 },
        amountColumn(TEXTS.days),
        amountColumn(TEXTS.amount, 100),
      ],
      rows: growthRows(growth, nameOf),
    },
  };
}

async function* movementRows(
  batches: AsyncIterable<MovementResponse[]>,
  write: Write,
): AsyncGenerator<DocumentRow, void> {
  let isEmpty = true;
  for await (const batch of batches)
    for (const { date, description, amount, balance, reservedAmount, reservedBalance, ...rest } of batch) {
      isEmpty = false;
      yield {
        cells: [timeText(new Date(date)), description, amount, balance, reservedAmount, reservedBalance],
        notes: [
          ...(rest.txHash === null ? [] : [write(TEXTS.transaction, { hash: rest.txHash })]),
          ...(rest.toAddress === null ? [] : [write(TEXTS.paidTo, { address: rest.toAddress })]),
        ],
      };
    }
  if (isEmpty) yield { cells: ['', write(TEXTS.noMovements), '', '', '', ''] };
}

/** The days on which the investments in each strategy earned, and their growth together. */
async function* growthRows(
  batches: AsyncIterable<DailyGrowthResponse[]>,
  nameOf: (strategyId: string) => string,
): AsyncGenerator<DocumentRow, void> {
  const sums = new Map<string, { days: number; growth: Money }>();
  for await (const batch of batches)
    for (const { strategyId, growth } of batch) {
      const sum = sums.get(strategyId) ?? { days: 0, growth: Money.ZERO };
      sums.set(strategyId, { days: sum.days + 1, growth: sum.growth.plus(Money.of(growth)) });
    }
  for (const [strategyId, { days, growth }] of sums)
    yield { cells: [nameOf(strategyId), String(days), growth.toWire()] };
}

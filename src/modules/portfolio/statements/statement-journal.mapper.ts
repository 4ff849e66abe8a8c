import { journalComment, journalText, type JournalLine } from '../../../common/journal.js';
import { Money } from '../../../common/money.js';
import { CLOSING_BALANCES, OPENING_BALANCES, type MovementType } from './domain/movement-texts.js';
import type { MovementResponse, StatementBalanceResponse } from './dto/statement.response.js';
import type { StatementParts } from './statements.mapper.js';

// Writes a statement as the user's own books, in which money at the platform is an asset.

const AVAILABLE = 'assets:stablecoin platform:available';
const INVESTED = 'assets:stablecoin platform:invested';
const RESERVED = 'assets:stablecoin platform:reserved';
const ACCRUED = 'assets:stablecoin platform:accrued';
const PAID_IN = 'equity:deposits';
const PAID_OUT = 'equity:withdrawals';
const OPENING = 'equity:opening balances';
const UNREALISED = 'equity:unrealised growth';

/** The account that a movement of the available balance comes from or goes to. */
const OTHER_ACCOUNT: Partial<Record<MovementType, string>> = {
  deposit: PAID_IN,
  investment: INVESTED,
  divestment: INVESTED,
  earning: 'income:growth',
  fee: 'expenses:fees',
  'withdrawal-paid': PAID_OUT,
};

/** The opening balances, the movements with the balances after each, the closing balances, and the growth of each day as comments. */
export async function* writeJournal({
  language,
  head,
  movements,
  growth,
}: StatementParts): AsyncGenerator<string, void> {
  const { opening, closing, from, to } = head;
  yield openingText(from, OPENING_BALANCES[language], opening);
  for await (const batch of movements) yield batch.map(movementText).join('');
  yield closingText(to, CLOSING_BALANCES[language], opening, closing);
  for await (const batch of growth)
    yield batch
      .map(
        ({ date, strategyId, growth: amount }) =>
          `${journalComment(`growth ${date} ${strategyId} ${amount} USDC`)}\n`,
      )
      .join('');
}

function openingText(
  day: string,
  description: string,
  { available, invested, reserved, accruedEarnings }: StatementBalanceResponse,
): string {
  return journalText({
    day,
    description,
    lines: [
      usdc(AVAILABLE, available, available),
      usdc(INVESTED, invested, invested),
      usdc(RESERVED, reserved, reserved),
      usdc(OPENING, negatedSum(available, invested, reserved)),
      usdc(ACCRUED, accruedEarnings, accruedEarnings),
      usdc(UNREALISED, negatedSum(accruedEarnings)),
    ],
  });
}

/** Lines of the balances that the movement changes, and of the account for what remains. */
function movementText(movement: MovementResponse): string {
  const { date, type, referenceType, referenceId, amount, reservedAmount, txHash, toAddress } = movement;
  const rest = negatedSum(amount, reservedAmount);
  const isChange = (text: string) => !Money.of(text).isZero();
  return journalText({
    day: date.slice(0, 10),
    description: movement.description,
    comment: [
      `${type} ${referenceType} ${referenceId}`,
      ...(txHash === null ? [] : [`txHash:${txHash}`]),
      ...(toAddress === null ? [] : [`toAddress:${toAddress}`]),
    ].join(', '),
    lines: [
      ...(isChange(amount) ? [usdc(AVAILABLE, amount, movement.balance)] : []),
      ...(isChange(reservedAmount) ? [usdc(RESERVED, reservedAmount, movement.reservedBalance)] : []),
      ...(isChange(rest) ? [usdc(otherAccount(type), rest)] : []),
    ],
  });
}

/** Accrued growth is no movement: its change is booked here, beside the growth that closings have realised meanwhile. */
function closingText(
  day: string,
  description: string,
  opening: StatementBalanceResponse,
  closing: StatementBalanceResponse,
): string {
  const accrued = Money.of(closing.accruedEarnings).minus(Money.of(opening.accruedEarnings)).toWire();
  return journalText({
    day,
    description,
    lines: [
      usdc(AVAILABLE, '0.00', closing.available),
      usdc(INVESTED, '0.00', closing.invested),
      usdc(RESERVED, '0.00', closing.reserved),
      usdc(ACCRUED, accrued, closing.accruedEarnings),
      usdc(UNREALISED, negatedSum(accrued)),
    ],
  });
}

function negatedSum(...amounts: string[]): string {
  return Money.sum(amounts.map((text) => Money.of(text)))
    .negated()
    .toWire();
}

/** The other account of a movement by its type; `equity:<type>` for types without an account of their own. */
function otherAccount(type: string): string {
  return OTHER_ACCOUNT[type as MovementType] ?? `equity:${type}`;
}

/** A line of a transaction in USDC. `balance` is the balance assertion: the balance of the account after the line. */
function usdc(account: string, amount: string, balance?: string): JournalLine {
  return { account, amount, commodity: 'USDC', ...(balance === undefined ? {} : { balance }) };
}

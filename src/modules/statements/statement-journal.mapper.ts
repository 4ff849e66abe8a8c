import { journalComment, journalText, type JournalLine } from '../../common/journal.js';
import { Money } from '../../common/money.js';
import type { PostingType } from '../ledger/domain/posting.js';
import type { MovementResponse } from './dto/statement.response.js';
import type { StatementParts } from './statements.mapper.js';

// Writes a statement as the user's own books, in which money at the platform is an asset.

const AVAILABLE = 'assets:stablecoin platform:available';
const INVESTED = 'assets:stablecoin platform:invested';
const RESERVED = 'assets:stablecoin platform:reserved';
const PAID_IN = 'equity:deposits';
const PAID_OUT = 'equity:withdrawals';
const OPENING = 'equity:opening balances';

/** The account that a movement of the available balance comes from or goes to. */
const OTHER_ACCOUNT: Partial<Record<PostingType, string>> = {
  deposit: PAID_IN,
  investment: INVESTED,
  divestment: INVESTED,
  earning: 'income:growth',
  fee: 'expenses:fees',
  'withdrawal-requested': RESERVED,
  'withdrawal-released': RESERVED,
  'withdrawal-completed': PAID_OUT, // booked by hand; other payments are made from the reserved balance
};

type Balance = StatementParts['head']['opening'];

/**
 * The opening balances, the movements with the balance after each, the sum of the withdrawals paid, the closing balances,
 * and the growth of each day as comments.
 */
export async function* writeJournal({
  head,
  movements,
  growth,
}: StatementParts): AsyncGenerator<string, void> {
  const { opening, closing, from, to } = head;
  yield openingText(from, opening);
  // The movements do not contain payments from the reserved balance. The sum of these payments is the reserved balance
  // without them less the closing reserved balance.
  let reservedBeforePayments = Money.of(opening.reserved);
  for await (const batch of movements) {
    for (const { type, amount } of batch)
      if (otherAccount(type) === RESERVED)
        reservedBeforePayments = reservedBeforePayments.minus(Money.of(amount));
    yield batch.map(movementText).join('');
  }
  yield closingText(to, closing, reservedBeforePayments.minus(Money.of(closing.reserved)));
  for await (const batch of growth)
    yield batch
      .map(
        ({ date, strategyId, growth: amount }) =>
          `${journalComment(`growth ${date} ${strategyId} ${amount} USDC`)}\n`,
      )
      .join('');
}

function openingText(day: string, { available, invested, reserved }: Balance): string {
  const total = Money.sum([available, invested, reserved].map((text) => Money.of(text)));
  return journalText({
    day,
    description: 'Opening balances',
    lines: [
      usdc(AVAILABLE, available, available),
      usdc(INVESTED, invested, invested),
      usdc(RESERVED, reserved, reserved),
      usdc(OPENING, total.negated().toWire()),
    ],
  });
}

function movementText({
  date,
  type,
  referenceType,
  referenceId,
  description,
  amount,
  balance,
}: MovementResponse): string {
  return journalText({
    day: date.slice(0, 10),
    description,
    comment: `${type} ${referenceType} ${referenceId}`,
    lines: [usdc(AVAILABLE, amount, balance), usdc(otherAccount(type), Money.of(amount).negated().toWire())],
  });
}

/** `paid` is the sum of the withdrawals paid from the reserved balance, which do not change the available balance. */
function closingText(day: string, { available, invested, reserved }: Balance, paid: Money): string {
  return journalText({
    day,
    description: 'Withdrawals paid, and closing balances',
    lines: [
      usdc(PAID_OUT, paid.toWire()),
      usdc(RESERVED, paid.negated().toWire(), reserved),
      usdc(AVAILABLE, '0.00', available),
      usdc(INVESTED, '0.00', invested),
    ],
  });
}

/** The other account of a movement by its posting type; `equity:<type>` for types without an account of their own. */
function otherAccount(type: string): string {
  return OTHER_ACCOUNT[type as PostingType] ?? `equity:${type}`;
}

/** A line of a transaction in USDC. `balance` is the balance assertion: the balance of the account after the line. */
function usdc(account: string, amount: string, balance?: string): JournalLine {
  return { account, amount, commodity: 'USDC', ...(balance === undefined ? {} : { balance }) };
}

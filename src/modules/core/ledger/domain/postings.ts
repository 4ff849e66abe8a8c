import { MICRO_SCALE, Money } from '../../../../common/money.js';
import {
  platformAccount,
  unitsOf,
  USDC,
  userAccount,
  type PostingType,
  move,
  type Category,
  type Entry,
  type Posting,
} from './chart-of-accounts.js';
// The postings of deposits, investments, growth and withdrawals.

interface DepositEvent {
  depositId: string;
  userId: string;
  network: string;
  asset: string;
  /** The amount on chain in `asset`; may have more decimals than a user's account holds. */
  received: Money;
  /** The USDC that the user gets for USDT. Ignored for other assets, which are credited as received, without dust. */
  credited: Money;
  at: Date;
}

export function depositCompleted(event: DepositEvent): Posting {
  const provider = platformAccount('asset.deposit-provider', event.asset, event.network);
  return deposit('deposit', 'deposit', event, [
    ...dustEntries(event, provider),
    ...creditEntries(event, provider),
  ]);
}

export function depositHeld(event: Omit<DepositEvent, 'credited'>): Posting {
  const provider = platformAccount('asset.deposit-provider', event.asset, event.network);
  return deposit('deposit-held', 'internal', event, [
    ...dustEntries(event, provider),
    ...move(withoutDust(event), provider, platformAccount('suspense', event.asset)),
  ]);
}

export function heldDepositReleased(event: DepositEvent): Posting {
  return deposit('deposit', 'deposit', event, creditEntries(event, platformAccount('suspense', event.asset)));
}

/** Cancels `depositHeld`: the transfer has not happened after all. */
export function heldDepositReversed(event: Omit<DepositEvent, 'credited'>): Posting {
  const entries = depositHeld(event).entries.map(({ account, amount }) => ({
    account,
    amount: amount.negated(),
  }));
  return {
    ...deposit('deposit-reversed', 'internal', event, entries),
    description: `Held deposit of ${withoutDust(event).toExact()} ${event.asset} reversed: the transfer did not happen`,
  };
}

type ReceivedDeposit = Pick<DepositEvent, 'depositId' | 'asset' | 'received' | 'at'>;

function deposit(type: PostingType, category: Category, event: ReceivedDeposit, entries: Entry[]): Posting {
  const description = `Deposit of ${withoutDust(event).toExact()} ${event.asset}`;
  return {
    type,
    category,
    reference: { type: 'deposit', id: event.depositId },
    at: event.at,
    description,
    entries,
  };
}

/** The part of a received amount that is credited or held. */
export function withoutDust(event: Pick<DepositEvent, 'asset' | 'received'>): Money {
  return event.asset === 'ETH' ? event.received : event.received.roundDown(MICRO_SCALE);
}

/** Dust belongs to no user and is posted to the rounding account. ETH has none. */
function dustEntries(event: ReceivedDeposit, provider: ReturnType<typeof platformAccount>): Entry[] {
  return move(event.received.minus(withoutDust(event)), provider, platformAccount('rounding', event.asset));
}

/** USDT is converted to USDC through the conversion accounts. Other assets are credited as received, without dust. */
function creditEntries(event: DepositEvent, source: ReturnType<typeof platformAccount>): Entry[] {
  const received = withoutDust(event);
  if (event.asset !== 'USDT')
    return move(received, source, userAccount(event.userId, 'user.available', event.asset));
  return [
    ...move(received, source, platformAccount('conversion', 'USDT')),
    ...move(event.credited, platformAccount('conversion', USDC), userAccount(event.userId, 'user.available')),
  ];
}

interface InvestmentEvent {
  investmentId: string;
  /** The number of a partial closing; absent for events of the whole investment. */
  closing?: number;
  userId: string;
  strategyId: string;
  principal: Money;
  units: Money;
  at: Date;
}

/** The reference id of an investment's postings: `<id>`, or `<id>:<number>` for a partial closing. */
export function investmentReference({
  investmentId,
  closing,
}: {
  investmentId: string;
  closing?: number | undefined;
}): string {
  return closing === undefined ? investmentId : `${investmentId}:${closing}`;
}

function investmentPosting(
  type: PostingType,
  category: Category,
  event: { investmentId: string; closing?: number; at: Date },
  description: string,
  entries: Entry[],
): Posting {
  return {
    type,
    category,
    reference: { type: 'investment', id: investmentReference(event) },
    at: event.at,
    description,
    entries,
  };
}

function unitEntries({ units, strategyId, userId }: InvestmentEvent): Entry[] {
  const asset = unitsOf(strategyId);
  return move(units, platformAccount('strategy.units', asset), userAccount(userId, 'user.units', asset));
}

export function investmentMade(event: InvestmentEvent): Posting {
  return investmentPosting('investment', 'investment', event, `Investment in ${event.strategyId}`, [
    ...move(
      event.principal,
      userAccount(event.userId, 'user.available'),
      userAccount(event.userId, 'user.invested'),
    ),
    ...unitEntries(event),
  ]);
}

/** Issues the units of an approved investment. Its principal was moved when it was created (`investmentMade`). */
export function unitsIssued(event: InvestmentEvent): Posting {
  const description = `Units of ${event.strategyId} issued`;
  return investmentPosting('units-issued', 'internal', event, description, unitEntries(event));
}

function principalReturned(event: InvestmentEvent): Posting {
  const asset = unitsOf(event.strategyId);
  return investmentPosting('divestment', 'investment', event, `Principal returned from ${event.strategyId}`, [
    ...move(
      event.principal,
      userAccount(event.userId, 'user.invested'),
      userAccount(event.userId, 'user.available'),
    ),
    ...move(
      event.units,
      userAccount(event.userId, 'user.units', asset),
      platformAccount('strategy.units', asset),
    ),
  ]);
}

/**
 * Returns the principal, adds the growth (negative for a loss) and subtracts the fees. `forfeited` is the part of today's
 * value that the closing price leaves out.
 */
export function investmentClosed(
  event: InvestmentEvent & { growth: Money; forfeited?: Money; managementFee: Money; performanceFee: Money },
): Posting[] {
  const available = userAccount(event.userId, 'user.available');
  const accrued = platformAccount('strategy.accrued', USDC, event.strategyId);
  return [
    principalReturned(event),
    investmentPosting(
      'earning',
      'earning',
      event,
      `Growth of ${event.strategyId}`,
      move(event.growth, accrued, available),
    ),
    growthForfeited(event, event.forfeited),
    investmentPosting('fee', 'fee', event, `Fees of ${event.strategyId}`, [
      ...move(event.managementFee, available, platformAccount('income.management-fee')),
      ...move(event.performanceFee, available, platformAccount('income.performance-fee')),
    ]),
  ];
}

/**
 * Returns the principal, adds `growth` and subtracts `takenBack`. A cancellation pays at most the principal of the first leg, so
 * `growth` is negative for a loss of the present leg, and positive only as far as it makes up for the loss of an earlier one.
 * `takenBack` is growth that earlier moves have realised. Both are in one posting: two postings of type `earning` cannot have the same
 * reference.
 */
export function investmentCancelled(
  event: InvestmentEvent & { growth: Money; takenBack?: Money; forfeited?: Money },
): Posting[] {
  const { growth, takenBack = Money.ZERO } = event;
  const available = userAccount(event.userId, 'user.available');
  const accrued = platformAccount('strategy.accrued', USDC, event.strategyId);
  const expense = platformAccount('expense.yield', USDC, event.strategyId);
  return [
    principalReturned(event),
    investmentPosting('earning', 'earning', event, `Growth of ${event.strategyId} settled on cancelling`, [
      ...move(growth, accrued, available),
      ...move(takenBack, available, expense),
    ]),
    growthForfeited(event, event.forfeited),
  ];
}

/** Growth that was accrued for a holder and is not paid. */
function growthForfeited(event: InvestmentEvent, growth = Money.ZERO): Posting {
  const accrued = platformAccount('strategy.accrued', USDC, event.strategyId);
  const expense = platformAccount('expense.yield', USDC, event.strategyId);
  const description = `Growth of ${event.strategyId} forfeited`;
  return investmentPosting('forfeit', 'internal', event, description, move(growth, accrued, expense));
}

/** One day's growth of all units of a strategy; negative for a loss. */
export function growthAccrued(event: { strategyId: string; day: string; growth: Money; at: Date }): Posting {
  return {
    type: 'yield',
    category: 'internal',
    reference: { type: 'strategy-day', id: `${event.strategyId}:${event.day}` },
    at: event.at,
    description: `Growth of ${event.strategyId} on ${event.day}`,
    entries: move(
      event.growth,
      platformAccount('expense.yield', USDC, event.strategyId),
      platformAccount('strategy.accrued', USDC, event.strategyId),
    ),
  };
}

/** Yield that the custody provider reported as received. */
export function yieldRealised(event: {
  reportId: string;
  strategyId: string;
  amount: Money;
  at: Date;
}): Posting {
  return {
    type: 'realised-yield',
    category: 'internal',
    reference: { type: 'yield-report', id: event.reportId },
    at: event.at,
    description: `Yield of ${event.strategyId} received by the custody provider`,
    entries: move(event.amount, platformAccount('asset.custody'), platformAccount('income.strategy-yield')),
  };
}

interface WithdrawalEvent {
  withdrawalId: string;
  userId: string;
  amount: Money;
  at: Date;
}

function withdrawalPosting(
  type: PostingType,
  event: WithdrawalEvent,
  description: string,
  entries: Entry[],
): Posting {
  const reference = { type: 'withdrawal', id: event.withdrawalId };
  return { type, category: 'withdrawal', reference, at: event.at, description, entries };
}

export function withdrawalRequested(event: WithdrawalEvent): Posting {
  const { userId, amount } = event;
  const entries = move(amount, userAccount(userId, 'user.available'), userAccount(userId, 'user.reserved'));
  return withdrawalPosting('withdrawal-requested', event, 'Reserved for a withdrawal', entries);
}

export function withdrawalReleased(event: WithdrawalEvent): Posting {
  const { userId, amount } = event;
  const entries = move(amount, userAccount(userId, 'user.reserved'), userAccount(userId, 'user.available'));
  return withdrawalPosting('withdrawal-released', event, 'Released from a withdrawal', entries);
}

export function withdrawalCompleted(event: WithdrawalEvent): Posting {
  const entries = move(
    event.amount,
    userAccount(event.userId, 'user.reserved'),
    platformAccount('asset.custody'),
  );
  return withdrawalPosting('withdrawal-completed', event, 'Paid out by the custody provider', entries);
}

import { Money } from '../../common/money.js';
import { platformAccount, unitsOf, USDC, userAccount } from './chart-of-accounts.js';
import { move, type Category, type Entry, type Posting, type PostingType } from './posting.js';

// What each business fact does to the accounts: the table of the ledger's design as code. Pure.

interface DepositEvent {
  depositId: string;
  userId: string;
  network: string;
  asset: string;
  /** As it arrived on chain, in `asset`; may have more decimals than an account holds. */
  received: Money;
  /** What the user gets in the currency of balances, or in ETH. */
  credited: Money;
  at: Date;
}

export function depositCompleted(fact: DepositEvent): Posting {
  const provider = platformAccount('asset.deposit-provider', fact.asset, fact.network);
  return deposit('deposit', 'deposit', fact, [...floored(fact, provider), ...credit(fact, provider)]);
}

export function depositHeld(fact: Omit<DepositEvent, 'credited'>): Posting {
  const provider = platformAccount('asset.deposit-provider', fact.asset, fact.network);
  const whole = wholeUnits(fact);
  return deposit('deposit-held', 'internal', fact, [
    ...floored(fact, provider),
    ...move(whole, provider, platformAccount('suspense', fact.asset)),
  ]);
}

export function heldDepositReleased(fact: DepositEvent): Posting {
  return deposit('deposit', 'deposit', fact, credit(fact, platformAccount('suspense', fact.asset)));
}

type Receipt = Pick<DepositEvent, 'depositId' | 'asset' | 'received' | 'at'>;

function deposit(type: PostingType, category: Category, fact: Receipt, entries: Entry[]): Posting {
  const description = `Deposit of ${wholeUnits(fact).toString()} ${fact.asset}`;
  return {
    type,
    category,
    reference: { type: 'deposit', id: fact.depositId },
    at: fact.at,
    description,
    entries,
  };
}

function wholeUnits(fact: Pick<DepositEvent, 'asset' | 'received'>): Money {
  return fact.asset === 'ETH' ? fact.received : fact.received.roundDown(6);
}

/** Amounts below the sixth decimal belong to no user; they are posted to the rounding account. */
function floored(fact: Receipt, provider: ReturnType<typeof platformAccount>): Entry[] {
  return move(fact.received.minus(wholeUnits(fact)), provider, platformAccount('rounding', fact.asset));
}

/** Another currency than the balance's goes through the conversion accounts. */
function credit(fact: DepositEvent, source: ReturnType<typeof platformAccount>): Entry[] {
  const received = wholeUnits(fact);
  if (fact.asset !== 'USDT')
    return move(received, source, userAccount(fact.userId, 'user.available', fact.asset));
  return [
    ...move(received, source, platformAccount('conversion', 'USDT')),
    ...move(fact.credited, platformAccount('conversion', USDC), userAccount(fact.userId, 'user.available')),
  ];
}

interface InvestmentEvent {
  investmentId: string;
  /** Which of its partial closings it is; left out of what is about all of it. */
  closing?: number;
  userId: string;
  strategyId: string;
  principal: Money;
  units: Money;
  at: Date;
}

/** What a fact about an investment is known by: the id, and of a partial closing its number behind a colon. */
export function investmentReference({
  investmentId,
  closing,
}: {
  investmentId: string;
  closing?: number | undefined;
}): string {
  return closing === undefined ? investmentId : `${investmentId}:${closing}`;
}

function ofInvestment(
  type: PostingType,
  category: Category,
  fact: { investmentId: string; closing?: number; at: Date },
  description: string,
  entries: Entry[],
): Posting {
  return {
    type,
    category,
    reference: { type: 'investment', id: investmentReference(fact) },
    at: fact.at,
    description,
    entries,
  };
}

export function invested(fact: InvestmentEvent): Posting {
  const asset = unitsOf(fact.strategyId);
  return ofInvestment('investment', 'investment', fact, `Investment in ${fact.strategyId}`, [
    ...move(
      fact.principal,
      userAccount(fact.userId, 'user.available'),
      userAccount(fact.userId, 'user.invested'),
    ),
    ...move(
      fact.units,
      platformAccount('strategy.units', asset),
      userAccount(fact.userId, 'user.units', asset),
    ),
  ]);
}

/** An approved investment gets its units; its principal has moved before. */
export function unitsIssued(fact: InvestmentEvent): Posting {
  const asset = unitsOf(fact.strategyId);
  return ofInvestment('units-issued', 'internal', fact, `Units of ${fact.strategyId} issued`, [
    ...move(
      fact.units,
      platformAccount('strategy.units', asset),
      userAccount(fact.userId, 'user.units', asset),
    ),
  ]);
}

function divested(fact: InvestmentEvent): Posting {
  const asset = unitsOf(fact.strategyId);
  return ofInvestment('divestment', 'investment', fact, `Principal returned from ${fact.strategyId}`, [
    ...move(
      fact.principal,
      userAccount(fact.userId, 'user.invested'),
      userAccount(fact.userId, 'user.available'),
    ),
    ...move(
      fact.units,
      userAccount(fact.userId, 'user.units', asset),
      platformAccount('strategy.units', asset),
    ),
  ]);
}

/**
 * Closing pays the principal, then the growth (a loss is negative), then takes the fees from both. `forfeited` is growth
 * that today's value has and the price does not.
 */
export function closed(
  fact: InvestmentEvent & { growth: Money; forfeited?: Money; managementFee: Money; performanceFee: Money },
): Posting[] {
  const available = userAccount(fact.userId, 'user.available');
  const accrued = platformAccount('strategy.accrued', USDC, fact.strategyId);
  return [
    divested(fact),
    ofInvestment(
      'earning',
      'earning',
      fact,
      `Growth of ${fact.strategyId}`,
      move(fact.growth, accrued, available),
    ),
    forfeited(fact, fact.forfeited),
    ofInvestment('fee', 'fee', fact, `Fees of ${fact.strategyId}`, [
      ...move(fact.managementFee, available, platformAccount('income.management-fee')),
      ...move(fact.performanceFee, available, platformAccount('income.performance-fee')),
    ]),
  ];
}

/**
 * Cancelling returns the principal less a loss; the growth so far is forfeited. `growth` is below zero for a loss;
 * `takenBack` is growth of earlier legs that moves have realised. Both are one posting: a fact is posted once.
 */
export function cancelled(
  fact: InvestmentEvent & { growth: Money; takenBack?: Money; forfeited?: Money },
): Posting[] {
  const { growth, takenBack = Money.ZERO } = fact;
  const available = userAccount(fact.userId, 'user.available');
  const accrued = platformAccount('strategy.accrued', USDC, fact.strategyId);
  const expense = platformAccount('expense.yield', USDC, fact.strategyId);
  return [
    divested(fact),
    ofInvestment('earning', 'earning', fact, `Growth of ${fact.strategyId} settled on cancelling`, [
      ...move(growth, accrued, available),
      ...move(takenBack, available, expense),
    ]),
    forfeited(fact, fact.forfeited),
  ];
}

/** Growth that was owed to a holder and is not paid. */
function forfeited(fact: InvestmentEvent, growth = Money.ZERO): Posting {
  const accrued = platformAccount('strategy.accrued', USDC, fact.strategyId);
  const expense = platformAccount('expense.yield', USDC, fact.strategyId);
  const description = `Growth of ${fact.strategyId} forfeited`;
  return ofInvestment('forfeit', 'internal', fact, description, move(growth, accrued, expense));
}

/** A day's growth of all units of a strategy; a loss is negative. */
export function grown(fact: { strategyId: string; day: string; growth: Money; at: Date }): Posting {
  return {
    type: 'yield',
    category: 'internal',
    reference: { type: 'strategy-day', id: `${fact.strategyId}:${fact.day}` },
    at: fact.at,
    description: `Growth of ${fact.strategyId} on ${fact.day}`,
    entries: move(
      fact.growth,
      platformAccount('expense.yield', USDC, fact.strategyId),
      platformAccount('strategy.accrued', USDC, fact.strategyId),
    ),
  };
}

/** Yield that the custody provider reports as received. */
export function yieldRealised(fact: {
  reportId: string;
  strategyId: string;
  amount: Money;
  at: Date;
}): Posting {
  return {
    type: 'realised-yield',
    category: 'internal',
    reference: { type: 'yield-report', id: fact.reportId },
    at: fact.at,
    description: `Yield of ${fact.strategyId} received by the custody provider`,
    entries: move(fact.amount, platformAccount('asset.custody'), platformAccount('income.strategy-yield')),
  };
}

interface WithdrawalEvent {
  withdrawalId: string;
  userId: string;
  amount: Money;
  at: Date;
}

function ofWithdrawal(
  type: PostingType,
  fact: WithdrawalEvent,
  description: string,
  entries: Entry[],
): Posting {
  const reference = { type: 'withdrawal', id: fact.withdrawalId };
  return { type, category: 'withdrawal', reference, at: fact.at, description, entries };
}

export function withdrawalRequested(fact: WithdrawalEvent): Posting {
  const { userId, amount } = fact;
  const entries = move(amount, userAccount(userId, 'user.available'), userAccount(userId, 'user.reserved'));
  return ofWithdrawal('withdrawal-requested', fact, 'Reserved for a withdrawal', entries);
}

export function withdrawalReleased(fact: WithdrawalEvent): Posting {
  const { userId, amount } = fact;
  const entries = move(amount, userAccount(userId, 'user.reserved'), userAccount(userId, 'user.available'));
  return ofWithdrawal('withdrawal-released', fact, 'Released from a withdrawal', entries);
}

export function withdrawalCompleted(fact: WithdrawalEvent): Posting {
  const entries = move(
    fact.amount,
    userAccount(fact.userId, 'user.reserved'),
    platformAccount('asset.custody'),
  );
  return ofWithdrawal('withdrawal-completed', fact, 'Paid out by the custody provider', entries);
}

/** Tokens carried from the deposit provider to custody, or back when negative. */
export function treasuryMoved(fact: {
  transferId: string;
  network: string;
  amount: Money;
  at: Date;
}): Posting {
  return {
    type: 'treasury-transfer',
    category: 'internal',
    reference: { type: 'treasury-transfer', id: fact.transferId },
    at: fact.at,
    description: 'Moved between the deposit provider and custody',
    entries: move(
      fact.amount,
      platformAccount('asset.custody'),
      platformAccount('asset.deposit-provider', USDC, fact.network),
    ),
  };
}

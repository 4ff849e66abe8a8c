import { daysBetween, type Day } from '../../common/days.js';
import { MICRO_SCALE, type Money } from '../../common/money.js';
import type { DepositEvent } from '../deposits/deposit.events.js';
import type { InvestmentEvent } from '../investments/investment.events.js';
import type { SecurityEvent } from '../users/security.events.js';
import type { WithdrawalEvent } from '../withdrawals/withdrawal.events.js';
import type { Note, Priority } from './notification.words.js';

// Who is told what, in which words and how loudly. Pure.

type Told = readonly [priority: Priority, title: string, message: string];

/** What a deposit's owner is told; nothing of the owner's own claim, and nothing while confirmations are counted. */
export function depositNote(fact: DepositEvent): Note | undefined {
  const told = depositTold(fact);
  return (
    told &&
    note('deposit', 'transaction', told, '/deposits', {
      depositId: fact.depositId,
      amount: shown(fact.amount),
      currency: fact.currency,
      network: fact.network,
      txHash: fact.txHash,
    })
  );
}

function depositTold(fact: DepositEvent): Told | undefined {
  const received = `${shown(fact.amount)} ${fact.currency}`;
  switch (fact.name) {
    case 'deposit.seen':
      return [
        'low',
        'Deposit seen',
        `Your deposit of ${received} is on its way. It waits for confirmations on ${fact.network}.`,
      ];
    case 'deposit.claimed':
    case 'deposit.confirming':
      return undefined;
    case 'deposit.completed':
      return ['high', 'Deposit completed', completedDeposit(fact, received)];
    case 'deposit.held':
      return [
        'high',
        'Deposit held',
        sentences(`Your deposit of ${received} has arrived but is not credited yet.`, fact.reason),
      ];
    case 'deposit.covered':
      return [
        'normal',
        'Deposit credited before',
        sentences(`Your deposit of ${received} has arrived.`, fact.reason),
      ];
    case 'deposit.failed':
      return [
        'high',
        'Deposit failed',
        sentences(`Your deposit of ${received} failed and is not credited.`, fact.reason),
      ];
  }
}

function completedDeposit({ currency, credited }: DepositEvent, received: string): string {
  if (currency === 'USDT' && credited)
    return `Your deposit of ${received} has been credited as ${shown(credited)} USDC.`;
  return `Your deposit of ${received} has been credited.`;
}

/** What an investor is told. */
export function investmentNote(fact: InvestmentEvent): Note {
  return note('investment', 'portfolio', investmentTold(fact), `/investments/${fact.investmentId}`, {
    investmentId: fact.investmentId,
    strategyId: fact.strategyId,
    amount: shown(fact.principal),
    currency: 'USDC',
  });
}

function investmentTold(fact: InvestmentEvent): Told {
  const { name, principal, strategyName, growth, moved } = fact;
  const amount = `${shown(principal)} USDC`;
  if (moved) return movedTold(name, amount, `${shown(principal.plus(growth))} USDC`, moved);
  switch (name) {
    case 'investment.created':
      return ['normal', 'Investment created', `You have invested ${amount} in ${strategyName}.`];
    case 'investment.approved':
      return [
        'normal',
        'Investment approved',
        `Your investment of ${amount} in ${strategyName} is approved and active.`,
      ];
    case 'investment.rejected':
      return [
        'normal',
        'Investment rejected',
        sentences(
          `Your investment of ${amount} in ${strategyName} was not approved. The amount is available again.`,
          fact.reason ?? null,
        ),
      ];
    case 'investment.cancelled':
      return [
        'normal',
        'Investment cancelled',
        `Your investment of ${amount} in ${strategyName} is cancelled. ${
          growth.isZero() ? 'The amount is available again.' : paidOut(fact)
        }`,
      ];
    case 'investment.partially-closed': {
      const left = fact.part ? ` ${shown(fact.part.left)} USDC stay invested.` : '';
      return [
        'normal',
        'Investment partially closed',
        `Part of your investment in ${strategyName} is closed. ${paidOut(fact)}${left}`,
      ];
    }
    case 'investment.closed':
      return [
        'normal',
        'Investment closed',
        `Your investment in ${strategyName} is closed. ${paidOut(fact)}`,
      ];
  }
}

function paidOut({ principal, growth, fees }: InvestmentEvent): string {
  const paid = shown(principal.plus(growth).minus(fees));
  const sum = `${shown(principal)} principal, ${shown(growth)} earnings, ${shown(fees)} fees`;
  return `${paid} USDC are available again: ${sum}.`;
}

/** The two notes of a move; nothing of it becomes available. */
function movedTold(
  name: InvestmentEvent['name'],
  principal: string,
  value: string,
  { from, to }: NonNullable<InvestmentEvent['moved']>,
): Told {
  return name === 'investment.created'
    ? ['normal', 'Investment created', `You have moved ${value} from ${from} into ${to}.`]
    : [
        'normal',
        'Investment closed',
        `Your investment of ${principal} in ${from} is closed. Its value of ${value} goes on in ${to}.`,
      ];
}

/** What somebody who withdraws is told; nothing on an operator's approval, which moves nothing. */
export function withdrawalNote(fact: WithdrawalEvent): Note | undefined {
  const told = withdrawalTold(fact);
  return (
    told &&
    note('withdrawal', 'transaction', told, `/withdrawals/${fact.withdrawalId}`, {
      withdrawalId: fact.withdrawalId,
      amount: shown(fact.amount),
      currency: fact.currency,
      toAddress: fact.toAddress,
      txHash: fact.txHash,
    })
  );
}

function withdrawalTold({ name, amount, currency, toAddress, reason }: WithdrawalEvent): Told | undefined {
  const sum = `${shown(amount)} ${currency}`;
  const back = `Your withdrawal of ${sum} was`;
  switch (name) {
    case 'withdrawal.requested':
      return [
        'normal',
        'Withdrawal requested',
        `You have asked for ${sum} to be sent to ${toAddress}. The amount is reserved.`,
      ];
    case 'withdrawal.approved':
      return undefined;
    case 'withdrawal.taken':
      return [
        'normal',
        'Withdrawal in progress',
        `Your withdrawal of ${sum} is being carried out and can no longer be cancelled.`,
      ];
    case 'withdrawal.completed':
      return ['high', 'Withdrawal completed', `${sum} have been sent to ${toAddress}.`];
    case 'withdrawal.cancelled':
      return ['normal', 'Withdrawal cancelled', `${back} cancelled. The amount is available again.`];
    case 'withdrawal.rejected':
      return [
        'high',
        'Withdrawal rejected',
        sentences(`${back} rejected. The amount is available again.`, reason),
      ];
    case 'withdrawal.failed':
      return [
        'high',
        'Withdrawal failed',
        sentences(`${back} not carried out. The amount stays reserved until we have looked into it.`, reason),
      ];
    case 'withdrawal.released':
      return [
        'high',
        'Withdrawal amount released',
        `${back} not carried out. The amount is available again.`,
      ];
  }
}

const SECURITY: Record<SecurityEvent['name'], readonly [Priority, string]> = {
  'security.new-device': ['high', 'Sign-in from a new device'],
  'security.status-changed': ['critical', 'Account status changed'],
  'security.wallet-linked': ['high', 'Wallet linked'],
  'security.wallet-unlinked': ['high', 'Wallet unlinked'],
  'security.wallet-suspended': ['high', 'Wallet suspended'],
};

/** What an account's owner is told of its safety. */
export function securityNote({ name, detail }: SecurityEvent): Note {
  const [priority, title] = SECURITY[name];
  return note('security', 'account', [priority, title, detail], '/settings/security', { event: name });
}

/** The earnings of the days from the first to the last, both included; undefined without earnings. */
export function earningsNote({ from, to }: { from: Day; to: Day }, growth: Money): Note | undefined {
  if (growth.isZero()) return undefined;
  const amount = growth.isNegative() ? growth.negated() : growth;
  const verb = growth.isNegative() ? 'lost' : 'earned';
  const when = from === to ? `on ${to}` : `from ${from} to ${to}`;
  const message = `Your investments ${verb} ${shown(amount)} USDC ${when}.`;
  const metadata = { from, to, days: daysBetween(from, to) + 1, growth: shown(growth) };
  return note('earning', 'portfolio', ['low', 'Daily earnings', message], '/investments', metadata);
}

/** For those whose investments are paused. */
export function suspensionNote(strategy: { id: string; name: string }, flatSince: Day): Note {
  const message =
    `${strategy.name} is suspended: your investments in it are paused. They keep their value and do not grow. ` +
    'You can close them or move them to another strategy at any time.';
  const metadata = { strategyId: strategy.id, flatSince };
  return note('system', 'platform', ['high', 'Strategy suspended', message], '/investments', metadata);
}

function note(
  type: Note['type'],
  category: Note['category'],
  [priority, title, message]: Told,
  actionUrl: string,
  metadata: Note['metadata'],
): Note {
  return { type, category, priority, title, message, actionUrl, metadata };
}

/** Amounts are shown with six decimals: dust below the sixth is credited to no user. */
function shown(amount: Money): string {
  return amount.roundDown(MICRO_SCALE).toWire();
}

function sentences(first: string, reason: string | null): string {
  return reason ? `${first} ${reason}` : first;
}

import { Money } from '../../../src/common/money.js';

/** What the client was answered about one thing, in the order in which the answers came. */
export interface ToldWithdrawal {
  readonly amount: Money;
  readonly verbs: string[];
}
export interface ToldInvestment {
  readonly amount: Money;
  /** Moved out of another one: its amount comes from there. */
  readonly isMoved: boolean;
  readonly verbs: string[];
  /** Principal and payout of each closing, whole or in part. */
  readonly closings: { principal: Money; paid: Money }[];
}
export interface ToldBooking {
  readonly type: 'deposit' | 'withdrawal' | 'reversal';
  readonly amount: Money;
  readonly verbs: string[];
}

/** The client's own books of one user: nothing but answers. */
export class Expected {
  /** By the hash of the payment. */
  readonly deposits = new Map<string, Money>();
  readonly withdrawals = new Map<string, ToldWithdrawal>();
  readonly investments = new Map<string, ToldInvestment>();
  readonly bookings = new Map<string, ToldBooking>();

  withdrawn(id: string, amount: string): void {
    this.withdrawals.set(id, { amount: Money.of(amount), verbs: [] });
  }

  invested(id: string, amount: string, status: string, isMoved = false): void {
    const verbs = status === 'pending' ? ['wait'] : [];
    this.investments.set(id, { amount: Money.of(amount), isMoved, verbs, closings: [] });
  }

  get funds(): Record<'available' | 'reserved' | 'invested', string> {
    const investments = [...this.investments.values()];
    const available = [
      ...this.deposits.values(),
      ...[...this.bookings.values()].filter(isConfirmed).map(effectOf),
      ...investments.filter(({ isMoved }) => !isMoved).map(({ amount }) => amount.negated()),
      ...investments.flatMap(({ closings }) => closings.map(({ paid }) => paid)),
      ...investments.filter(isGivenBack).map(principalLeft),
      ...[...this.withdrawals.values()].filter(isTaken).map(({ amount }) => amount.negated()),
    ];
    const reversed = [...this.bookings.values()].filter(
      (booking) => booking.type === 'reversal' && isConfirmed(booking),
    );
    const reserved = [
      ...[...this.withdrawals.values()].filter(isReserved).map(({ amount }) => amount),
      ...reversed.map(({ amount }) => amount.negated()),
    ];
    const invested = investments
      .filter((investment) => investmentStatus(investment) !== 'closed' && !isGivenBack(investment))
      .map(principalLeft);
    const wire = (amounts: Money[]) => Money.sum(amounts).toWire();
    return { available: wire(available), reserved: wire(reserved), invested: wire(invested) };
  }
}

export function withdrawalStatus({ verbs }: ToldWithdrawal): string {
  if (verbs.includes('complete')) return 'completed';
  if (verbs.includes('reject') || verbs.includes('cancel')) return 'rejected';
  if (verbs.includes('fail')) return 'failed';
  if (verbs.includes('take') || verbs.includes('execute')) return 'processing';
  return verbs.includes('approve') ? 'approved' : 'pending';
}

export function investmentStatus(investment: ToldInvestment): string {
  if (isGivenBack(investment)) return 'cancelled';
  if (investment.verbs.includes('close') || investment.verbs.includes('move')) return 'closed';
  return investment.verbs.includes('wait') && !investment.verbs.includes('approve') ? 'pending' : 'active';
}

export function bookingStatus({ verbs }: ToldBooking): string {
  if (verbs.includes('confirm')) return 'confirmed';
  if (verbs.includes('reject')) return 'failed';
  return verbs.includes('approve') ? 'processing' : 'pending';
}

/** Of what ended in one way, nothing can have ended in another; and nothing happens twice. */
const ENDS = ['complete', 'reject', 'cancel', 'fail', 'close', 'move', 'confirm'];
export function isPossible({ verbs }: { readonly verbs: string[] }): boolean {
  return new Set(verbs).size === verbs.length && verbs.filter((verb) => ENDS.includes(verb)).length <= 1;
}

export function principalLeft({ amount, closings }: ToldInvestment): Money {
  return amount.minus(Money.sum(closings.map(({ principal }) => principal)));
}

function isGivenBack({ verbs }: ToldInvestment): boolean {
  return verbs.includes('cancel') || verbs.includes('reject');
}

function isTaken(withdrawal: ToldWithdrawal): boolean {
  return withdrawalStatus(withdrawal) !== 'rejected';
}

function isReserved(withdrawal: ToldWithdrawal): boolean {
  return isTaken(withdrawal) && withdrawalStatus(withdrawal) !== 'completed';
}

function isConfirmed({ verbs }: ToldBooking): boolean {
  return verbs.includes('confirm');
}

function effectOf({ type, amount }: ToldBooking): Money {
  return type === 'withdrawal' ? amount.negated() : amount;
}

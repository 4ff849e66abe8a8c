import { Money } from '../../../src/common/money.js';

// `verbs` contains the requests about one record that the API answered with success, in the order of the responses. Two
// verbs are not requests: `wait` marks an investment that was created as pending, `fail` a payment that the provider reported
// as failed.

export interface RecordedWithdrawal {
  readonly amount: Money;
  readonly verbs: string[];
}
export interface RecordedInvestment {
  readonly amount: Money;
  /** Whether a move created it: then its amount comes from another investment, not from the balance. */
  readonly isMoved: boolean;
  readonly verbs: string[];
  /** Principal and payout of each full or partial closing. */
  readonly closings: { principal: Money; paid: Money }[];
}
/** A transaction by hand. */
export interface RecordedBooking {
  readonly type: 'deposit' | 'withdrawal' | 'reversal';
  readonly amount: Money;
  readonly verbs: string[];
}

/** The expected records and balances of one user, computed from payments and responses without reading records. */
export class ExpectedAccount {
  /** By transaction hash. */
  readonly deposits = new Map<string, Money>();
  readonly withdrawals = new Map<string, RecordedWithdrawal>();
  readonly investments = new Map<string, RecordedInvestment>();
  readonly bookings = new Map<string, RecordedBooking>();

  addWithdrawal(id: string, amount: string): void {
    this.withdrawals.set(id, { amount: Money.of(amount), verbs: [] });
  }

  addInvestment(id: string, amount: string, status: string, isMoved = false): void {
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
      ...investments.filter(isCancelled).map(principalLeft),
      ...[...this.withdrawals.values()].filter(isDeducted).map(({ amount }) => amount.negated()),
    ];
    const reversed = [...this.bookings.values()].filter(
      (booking) => booking.type === 'reversal' && isConfirmed(booking),
    );
    const reserved = [
      ...[...this.withdrawals.values()].filter(isReserved).map(({ amount }) => amount),
      ...reversed.map(({ amount }) => amount.negated()),
    ];
    const invested = investments
      .filter((investment) => investmentStatus(investment) !== 'closed' && !isCancelled(investment))
      .map(principalLeft);
    const wire = (amounts: Money[]) => Money.sum(amounts).toWire();
    return { available: wire(available), reserved: wire(reserved), invested: wire(invested) };
  }
}

export function withdrawalStatus({ verbs }: RecordedWithdrawal): string {
  if (verbs.includes('complete')) return 'completed';
  if (verbs.includes('reject') || verbs.includes('cancel')) return 'rejected'; // cancelled withdrawals have this status, too
  if (verbs.includes('fail')) return 'failed';
  if (verbs.includes('take') || verbs.includes('execute')) return 'processing';
  return verbs.includes('approve') ? 'approved' : 'pending';
}

export function investmentStatus(investment: RecordedInvestment): string {
  if (isCancelled(investment)) return 'cancelled';
  if (investment.verbs.includes('close') || investment.verbs.includes('move')) return 'closed';
  return investment.verbs.includes('wait') && !investment.verbs.includes('approve') ? 'pending' : 'active';
}

export function bookingStatus({ verbs }: RecordedBooking): string {
  if (verbs.includes('confirm')) return 'confirmed';
  if (verbs.includes('reject')) return 'failed';
  return verbs.includes('approve') ? 'processing' : 'pending';
}

/** Verbs that end a record. */
const FINAL_VERBS = ['complete', 'reject', 'cancel', 'fail', 'close', 'move', 'confirm'];

/** False if the API accepted the same verb twice for one record, or two final verbs. */
export function isPossible({ verbs }: { readonly verbs: string[] }): boolean {
  return (
    new Set(verbs).size === verbs.length && verbs.filter((verb) => FINAL_VERBS.includes(verb)).length <= 1
  );
}

export function principalLeft({ amount, closings }: RecordedInvestment): Money {
  return amount.minus(Money.sum(closings.map(({ principal }) => principal)));
}

function isCancelled({ verbs }: RecordedInvestment): boolean {
  return verbs.includes('cancel') || verbs.includes('reject');
}

function isDeducted(withdrawal: RecordedWithdrawal): boolean {
  return withdrawalStatus(withdrawal) !== 'rejected';
}

function isReserved(withdrawal: RecordedWithdrawal): boolean {
  return isDeducted(withdrawal) && withdrawalStatus(withdrawal) !== 'completed';
}

function isConfirmed({ verbs }: RecordedBooking): boolean {
  return verbs.includes('confirm');
}

function effectOf({ type, amount }: RecordedBooking): Money {
  return type === 'withdrawal' ? amount.negated() : amount;
}

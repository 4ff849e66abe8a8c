import { newId } from '../../src/kernel/ids.js';
import type { Posting } from '../../src/modules/ledger/posting.js';
import * as book from '../../src/modules/ledger/postings.js';
import { MICRO, money, Purse, UNITS, type Held, type Holding, type Payout } from './ledger-purses.js';
import { NAMES, USERS, type Step } from './ledger-steps.js';

// The ledger as a child would keep it: a few numbers per user, in micro-units, and no accounts at all. It says
// which facts are legal; the real ledger has to agree.

export interface Attempt {
  postings: Posting[];
  expected: 'done' | 'INSUFFICIENT_BALANCE' | 'posted before';
  /** Whose funds it moves, if it is done. */
  userId?: string;
}

export class Model {
  readonly purses = Array.from({ length: USERS }, () => new Purse());
  /** Strategies of this run alone, so that runs do not add up. */
  readonly strategies = NAMES.map((name) => `${name}:${newId()}`);
  readonly accrued = NAMES.map(() => 0n);
  private readonly holdings: Holding[] = [];
  private readonly held: Held[] = [];
  private readonly payouts: Payout[] = [];
  private readonly posted: Posting[][] = [];
  private at = Date.parse('2026-03-02T10:00:00.000Z');

  /** Units of the open investments of a strategy. */
  unitsOf(strategyIndex: number): bigint {
    return this.holdings.reduce(
      (sum, h) => sum + (h.open && h.strategy === strategyIndex ? h.units : 0n),
      0n,
    );
  }

  /** What somebody tries, with what must come of it; undefined when there is nothing to try it on. */
  attempt(tried: Step): Attempt | undefined {
    this.at += 60_000;
    const attempt = this.interpret(tried);
    if (attempt?.expected === 'done' && tried.kind !== 'repeat') this.posted.push(attempt.postings);
    return attempt;
  }

  private interpret(tried: Step): Attempt | undefined {
    switch (tried.kind) {
      case 'deposit':
        return this.deposit(this.purse(tried.who), tried.asset, tried.amount, tried.dust);
      case 'hold':
        return this.hold(this.purse(tried.who), tried.asset, tried.amount);
      case 'releaseHeld':
        return this.releaseHeld(around(this.held, tried.which));
      case 'invest':
        return this.invest(this.purse(tried.who), tried.strategy, tried.amount, tried.nav);
      case 'close':
        return this.close(around(this.holdings, tried.which), tried.growth, tried.fees);
      case 'closePart':
        return this.closePart(around(this.holdings, tried.which), tried);
      case 'cancel':
        return this.cancel(around(this.holdings, tried.which), tried.growth);
      case 'grow':
        return this.grow(tried.strategy, tried.growth);
      case 'realise':
        return this.realise(tried.strategy, tried.amount);
      case 'withdraw':
        return this.withdraw(this.purse(tried.who), tried.amount);
      case 'payOut':
      case 'releaseWithdrawal':
        return this.finish(around(this.payouts, tried.which), tried.kind);
      case 'treasury':
        return this.done([
          book.treasuryMoved({
            ...this.now,
            transferId: newId(),
            network: 'ERC20',
            amount: money(tried.amount),
          }),
        ]);
      case 'repeat': {
        const postings = around(this.posted, tried.which)?.filter(({ entries }) => entries.length > 0);
        return postings?.length ? { postings, expected: 'posted before' } : undefined;
      }
    }
  }

  private get now(): { at: Date } {
    return { at: new Date(this.at) };
  }

  private purse(index: number): Purse {
    return this.purses[index] as Purse;
  }

  private done(postings: Posting[], purse?: Purse): Attempt {
    return { postings, expected: 'done', ...(purse ? { userId: purse.id } : {}) };
  }

  private deposit(purse: Purse, asset: string, amount: bigint, dust: boolean): Attempt {
    const received = dust ? money(amount).plus(money(7n, 18)) : money(amount); // BEP20 has 18 decimals
    const fact = { ...this.now, depositId: newId(), userId: purse.id, network: 'BEP20', asset, received };
    if (asset !== 'ETH') this.credit(purse, amount);
    return this.done([book.depositCompleted({ ...fact, credited: money(amount) })], purse);
  }

  private hold(purse: Purse, asset: string, amount: bigint): Attempt {
    const depositId = newId();
    this.held.push({ purse, asset, amount, depositId, open: true });
    const fact = {
      ...this.now,
      depositId,
      userId: purse.id,
      network: 'ERC20',
      asset,
      received: money(amount),
    };
    return this.done([book.depositHeld(fact)], purse);
  }

  private releaseHeld(held: Held | undefined): Attempt | undefined {
    if (!held) return undefined;
    const { purse, asset, amount, depositId } = held;
    const fact = {
      ...this.now,
      depositId,
      userId: purse.id,
      network: 'ERC20',
      asset,
      received: money(amount),
    };
    const postings = [book.heldDepositReleased({ ...fact, credited: money(amount) })];
    if (!held.open) return { postings, expected: 'posted before' };
    held.open = false;
    if (asset !== 'ETH') this.credit(purse, amount);
    return this.done(postings, purse);
  }

  private credit(purse: Purse, amount: bigint): void {
    purse.available += amount;
    purse.deposits += amount;
  }

  private invest(purse: Purse, strategyIndex: number, principal: bigint, nav: bigint): Attempt {
    const units = (principal * 10n ** 24n) / nav; // principal / nav, at 24 decimals, rounded down
    const holding: Holding = {
      purse,
      strategy: strategyIndex,
      principal,
      units,
      investmentId: newId(),
      open: true,
      closings: 0,
    };
    const postings = [book.invested(this.factOf(holding))];
    if (purse.available < principal) return { postings, expected: 'INSUFFICIENT_BALANCE' };
    this.holdings.push(holding);
    purse.available -= principal;
    purse.invested += principal;
    return this.done(postings, purse);
  }

  private close(holding: Holding | undefined, growth: bigint, fees: bigint): Attempt | undefined {
    if (!holding) return undefined;
    const postings = book.closed({ ...this.factOf(holding), ...paid(growth, fees) });
    if (!holding.open) return { postings, expected: 'posted before' };
    return this.redeemed(holding, holding.principal, growth, fees, postings, () => (holding.open = false));
  }

  /** D28: the holding stays, with what is left of its principal and units. */
  private closePart(
    holding: Holding | undefined,
    { thousandths, growth, fees }: { thousandths: bigint; growth: bigint; fees: bigint },
  ): Attempt | undefined {
    if (!holding?.open) return undefined;
    const [principal, units] = [
      (holding.principal * thousandths) / 1000n,
      (holding.units * thousandths) / 1000n,
    ];
    const part = this.factOf({ ...holding, principal, units });
    const closing = holding.closings + 1;
    const postings = book.closed({ ...part, ...paid(growth, fees), closing });
    if (postings.every(({ entries }) => entries.length === 0)) return undefined;
    return this.redeemed(holding, principal, growth, fees, postings, () => {
      holding.principal -= principal;
      holding.units -= units;
      holding.closings = closing;
    });
  }

  private redeemed(
    { purse, strategy }: Holding,
    principal: bigint,
    growth: bigint,
    fees: bigint,
    postings: Posting[],
    record: () => void,
  ): Attempt {
    const left = purse.available + principal + growth - fees;
    if (left < 0n || purse.available + principal + growth < 0n)
      return { postings, expected: 'INSUFFICIENT_BALANCE' };
    record();
    purse.available = left;
    purse.invested -= principal;
    purse.earnings += growth;
    purse.fees += fees;
    this.accrue(strategy, -growth);
    return this.done(postings, purse);
  }

  private cancel(holding: Holding | undefined, growth: bigint): Attempt | undefined {
    if (!holding) return undefined;
    const postings = book.cancelled({ ...this.factOf(holding), growth: money(growth) });
    if (!holding.open) return { postings, expected: 'posted before' };
    holding.open = false;
    holding.purse.available += holding.principal;
    holding.purse.invested -= holding.principal;
    this.accrue(holding.strategy, -growth);
    return this.done(postings, holding.purse);
  }

  private factOf({ purse, strategy: index, principal, units, investmentId }: Holding) {
    const strategyId = this.strategies[index] as string;
    return {
      ...this.now,
      investmentId,
      userId: purse.id,
      strategyId,
      principal: money(principal),
      units: money(units, UNITS - MICRO),
    };
  }

  private grow(index: number, growth: bigint): Attempt {
    this.accrue(index, growth);
    return this.done([
      book.grown({
        ...this.now,
        strategyId: this.strategies[index] as string,
        day: newId(),
        growth: money(growth),
      }),
    ]);
  }

  private realise(index: number, amount: bigint): Attempt {
    const fact = {
      ...this.now,
      reportId: newId(),
      strategyId: this.strategies[index] as string,
      amount: money(amount),
    };
    return this.done([book.yieldRealised(fact)]);
  }

  private accrue(index: number, growth: bigint): void {
    this.accrued[index] = (this.accrued[index] as bigint) + growth;
  }

  private withdraw(purse: Purse, amount: bigint): Attempt {
    const withdrawalId = newId();
    const postings = [
      book.withdrawalRequested({ ...this.now, withdrawalId, userId: purse.id, amount: money(amount) }),
    ];
    if (purse.available < amount) return { postings, expected: 'INSUFFICIENT_BALANCE' };
    this.payouts.push({ purse, amount, withdrawalId });
    purse.available -= amount;
    purse.reserved += amount;
    purse.withdrawals += amount;
    return this.done(postings, purse);
  }

  /** The state machine of withdrawals keeps a finished one from the other end: only the same is tried again. */
  private finish(payout: Payout | undefined, end: 'payOut' | 'releaseWithdrawal'): Attempt | undefined {
    if (!payout) return undefined;
    const { purse, amount, withdrawalId } = payout;
    const fact = { ...this.now, withdrawalId, userId: purse.id, amount: money(amount) };
    const pay = (payout.done ?? end) === 'payOut';
    const postings = [pay ? book.withdrawalCompleted(fact) : book.withdrawalReleased(fact)];
    if (payout.done) return { postings, expected: 'posted before' };
    payout.done = end;
    purse.reserved -= amount;
    if (!pay) {
      purse.available += amount;
      purse.withdrawals -= amount;
    }
    return this.done(postings, purse);
  }
}

function paid(growth: bigint, fees: bigint) {
  const performanceFee = fees / 3n;
  return {
    growth: money(growth),
    managementFee: money(fees - performanceFee),
    performanceFee: money(performanceFee),
  };
}

function around<T>(items: readonly T[], index: number): T | undefined {
  return items[index % Math.max(1, items.length)];
}

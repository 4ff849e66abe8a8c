import { Money } from '../../../../common/money.js';
import { USDC, type ResultAccountKind } from '../../../core/ledger/domain/chart-of-accounts.js';
import { sumByAsset, type BookBalance } from './book-account.js';

/** Income and expenses of a range of days in USDC, as positive amounts; a negative one is a loss of the strategies. */
export interface ProfitAndLoss {
  readonly income: {
    readonly managementFees: Money;
    readonly performanceFees: Money;
    /** Yield that the custody provider has paid. */
    readonly strategyYield: Money;
  };
  readonly expense: {
    /** Growth that closings have paid to users' balances, less what they have given back. */
    readonly yieldRealised: Money;
    /** By how much the growth that is owed to holders of units, and not yet paid, has risen. */
    readonly yieldAccrued: Money;
  };
  /** Income less expenses. */
  readonly result: Money;
  /** Changes of the accounts for amounts below the sixth decimal, by asset; a credit is positive. */
  readonly rounding: ReadonlyMap<string, Money>;
  /** Changes of the accounts through which deposits are converted, by asset; a credit is positive. */
  readonly conversion: ReadonlyMap<string, Money>;
}

/** Follows from the balances alone: every day's growth is an expense when it accrues, whether or not it is realised later. */
export function profitAndLossOf(balances: readonly BookBalance[]): ProfitAndLoss {
  const changeIn = (kind: BookBalance['kind']) => changesByAsset(balances, kind).get(USDC) ?? Money.ZERO;
  const changes = {
    'income.management-fee': changeIn('income.management-fee'),
    'income.performance-fee': changeIn('income.performance-fee'),
    'income.strategy-yield': changeIn('income.strategy-yield'),
    'expense.yield': changeIn('expense.yield'),
  } satisfies Record<ResultAccountKind, Money>;
  const yieldAccrued = changeIn('strategy.accrued');
  return {
    income: {
      managementFees: changes['income.management-fee'],
      performanceFees: changes['income.performance-fee'],
      strategyYield: changes['income.strategy-yield'],
    },
    expense: { yieldRealised: changes['expense.yield'].plus(yieldAccrued).negated(), yieldAccrued },
    result: Money.sum(Object.values(changes)),
    rounding: changesByAsset(balances, 'rounding'),
    conversion: changesByAsset(balances, 'conversion'),
  };
}

/** The changes of the accounts of a kind, by asset; those of several networks or strategies together. */
function changesByAsset(balances: readonly BookBalance[], kind: BookBalance['kind']): Map<string, Money> {
  return sumByAsset(
    balances
      .filter((balance) => balance.kind === kind)
      .map(({ asset, opening, closing }) => [asset, closing.minus(opening)] as const),
  );
}

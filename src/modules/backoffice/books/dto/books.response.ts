import {
  Choice,
  DayText,
  ExactAmount,
  Instant,
  ListOf,
  MoneyText,
  Nested,
  Text,
  Uuid,
} from '../../../../http/openapi/fields.js';
import { ACCOUNT_KINDS } from '../../../core/ledger/domain/chart-of-accounts.js';
import { ACCOUNT_CLASSES } from '../domain/book-account.js';

const KINDS = Object.keys(ACCOUNT_KINDS);
const ASSET = 'USDC, USDT, ETH, or the units of a strategy (UNIT:<strategy>)';
const SIGN = 'debits are positive, credits negative';

export class BookAccountResponse {
  @Text({ example: 'asset.deposit-provider:TRC20:USDT' }) id!: string;
  @Choice(KINDS) kind!: string;
  @Text({ nullable: true, example: 'TRC20', description: 'network or strategy; null for accounts without' })
  scope!: string | null;
  @Text({ example: 'USDT', description: ASSET }) asset!: string;
  @Choice(ACCOUNT_CLASSES, { description: 'what belongs to users is a liability' }) class!: string;
  @Choice(['platform', 'users'], { description: 'users: the accounts of all users together' }) owner!: string;
}

export class TrialBalanceAccountResponse {
  @Text({ example: 'asset.deposit-provider:TRC20:USDT' }) id!: string;
  @Text({ example: 'asset.deposit-provider' }) kind!: string;
  @Text({ nullable: true, example: 'TRC20' }) scope!: string | null;
  @Text({ example: 'USDT' }) asset!: string;
  @ExactAmount({ description: 'the balance if it is a debit, otherwise 0.00' }) debit!: string;
  @ExactAmount({ description: 'the balance if it is a credit, otherwise 0.00' }) credit!: string;
}

class TrialBalanceTotalResponse {
  @Text({ example: 'USDC', description: ASSET }) asset!: string;
  @ExactAmount({ description: 'sum of the debits; equals credit' }) debit!: string;
  @ExactAmount({ description: 'sum of the credits' }) credit!: string;
}

export class TrialBalanceResponse {
  @DayText({ description: 'the balances are those at the end of this UTC day; of today at present' })
  date!: string;
  @ListOf(() => TrialBalanceAccountResponse, { description: 'in the order of the chart of accounts' })
  accounts!: TrialBalanceAccountResponse[];
  @ListOf(() => TrialBalanceTotalResponse) totals!: TrialBalanceTotalResponse[];
}

class BookPeriodResponse {
  @DayText({ description: 'first UTC day' }) startDate!: string;
  @DayText({ description: 'last UTC day' }) endDate!: string;
}

class IncomeResponse {
  @MoneyText({ description: 'charged when investments were closed' }) managementFees!: string;
  @MoneyText({ description: 'charged when investments were closed' }) performanceFees!: string;
  @MoneyText({ description: 'yield that the custody provider has paid' }) strategyYield!: string;
}

class ExpenseResponse {
  @MoneyText({
    description: 'growth that closings have paid to users’ balances, less what they have given back',
  })
  yieldRealised!: string;
  @MoneyText({
    description:
      'by how much the growth that holders of units are owed, and that is not yet paid, has risen; negative if it has fallen, for instance because it was realised',
  })
  yieldAccrued!: string;
}

class AssetChangeResponse {
  @Text({ example: 'USDT', description: ASSET }) asset!: string;
  @ExactAmount({ description: `change of the account; ${SIGN}` }) amount!: string;
}

export class ProfitAndLossResponse {
  @Nested(() => BookPeriodResponse) period!: BookPeriodResponse;
  @Nested(() => IncomeResponse, { description: 'in USDC' }) income!: IncomeResponse;
  @Nested(() => ExpenseResponse, { description: 'in USDC; a loss of the strategies is negative' })
  expense!: ExpenseResponse;
  @MoneyText({
    description:
      'at the end of the period: fees that closing all investments would charge, at the present rates; not in result',
  })
  feesAccruedNotCharged!: string;
  @ListOf(() => AssetChangeResponse, {
    description: 'amounts below the sixth decimal, which belong to no user; not in result',
  })
  rounding!: AssetChangeResponse[];
  @ListOf(() => AssetChangeResponse, {
    description: 'USDT that was received and USDC that was credited for it; not in result',
  })
  conversion!: AssetChangeResponse[];
  @MoneyText({ description: 'income less expense' }) result!: string;
}

class BookPostingResponse {
  @Uuid() id!: string;
  @Text({ example: 'withdrawal-completed' }) type!: string;
  @Text({ example: 'withdrawal' }) referenceType!: string;
  @Text({ description: 'the id of the record for which it was posted' }) referenceId!: string;
}

export class BookEntryResponse {
  @Instant() at!: string;
  @Nested(() => BookPostingResponse) posting!: BookPostingResponse;
  @Text({ example: 'Deposit of 100.00 USDC' }) description!: string;
  @ExactAmount({ description: SIGN }) amount!: string;
  @ExactAmount({ description: `of the account after the entry; ${SIGN}` }) balance!: string;
}

export class AccountEntriesResponse {
  @Nested(() => BookAccountResponse) account!: BookAccountResponse;
  @Nested(() => BookPeriodResponse) period!: BookPeriodResponse;
  @ExactAmount({ description: `balance before the first day; ${SIGN}` }) opening!: string;
  @ListOf(() => BookEntryResponse, { description: 'the oldest first' }) entries!: BookEntryResponse[];
  @ExactAmount({ description: `balance at the end of the last day; ${SIGN}` }) closing!: string;
}

import {
  EnumField,
  DayField,
  ExactAmountField,
  InstantField,
  ListField,
  MoneyField,
  MoneyFields,
  NestedField,
  StringField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { ACCOUNT_KINDS } from '../../../core/ledger/domain/chart-of-accounts.js';
import { ACCOUNT_CLASSES, EXPENSE, INCOME } from '../domain/books.js';
const KINDS = Object.keys(ACCOUNT_KINDS);
const ASSET = 'USDC, USDT, ETH, or the units of a strategy (UNIT:<strategy>)';
const SIGN = 'debits are positive, credits negative';

export class BookAccountResponse {
  @StringField({ example: 'asset.deposit-provider:TRC20:USDT' }) id!: string;
  @EnumField(KINDS) kind!: string;
  @StringField({
    nullable: true,
    example: 'TRC20',
    description: 'network or strategy; null for accounts without',
  })
  scope!: string | null;
  @StringField({ example: 'USDT', description: ASSET }) asset!: string;
  @EnumField(ACCOUNT_CLASSES, { description: 'what belongs to users is a liability' }) class!: string;
  @EnumField(['platform', 'users'], { description: 'users: the accounts of all users together' })
  owner!: string;
}

export class TrialBalanceAccountResponse {
  @StringField({ example: 'asset.deposit-provider:TRC20:USDT' }) id!: string;
  @StringField({ example: 'asset.deposit-provider' }) kind!: string;
  @StringField({ nullable: true, example: 'TRC20' }) scope!: string | null;
  @StringField({ example: 'USDT' }) asset!: string;
  @ExactAmountField({ description: 'the balance if it is a debit, otherwise 0.00' }) debit!: string;
  @ExactAmountField({ description: 'the balance if it is a credit, otherwise 0.00' }) credit!: string;
}

class TrialBalanceTotalResponse {
  @StringField({ example: 'USDC', description: ASSET }) asset!: string;
  @ExactAmountField({ description: 'sum of the debits; equals credit' }) debit!: string;
  @ExactAmountField({ description: 'sum of the credits' }) credit!: string;
}

export class TrialBalanceResponse {
  @DayField({ description: 'the balances are those at the end of this UTC day; of today at present' })
  date!: string;
  @ListField(() => TrialBalanceAccountResponse, { description: 'in the order of the chart of accounts' })
  accounts!: TrialBalanceAccountResponse[];
  @ListField(() => TrialBalanceTotalResponse) totals!: TrialBalanceTotalResponse[];
}

class BookPeriodResponse {
  @DayField({ description: 'first UTC day' }) startDate!: string;
  @DayField({ description: 'last UTC day' }) endDate!: string;
}

@MoneyFields(INCOME)
class IncomeResponse {}

@MoneyFields(EXPENSE)
class ExpenseResponse {}

class AssetChangeResponse {
  @StringField({ example: 'USDT', description: ASSET }) asset!: string;
  @ExactAmountField({ description: `change of the account; ${SIGN}` }) amount!: string;
}

export class ProfitAndLossResponse {
  @NestedField(() => BookPeriodResponse) period!: BookPeriodResponse;
  @NestedField(() => IncomeResponse, { description: 'in USDC' })
  income!: Record<keyof typeof INCOME, string>;
  @NestedField(() => ExpenseResponse, { description: 'in USDC; a loss of the strategies is negative' })
  expense!: Record<keyof typeof EXPENSE, string>;
  @MoneyField({
    description:
      'at the end of the period: fees that closing all investments would charge, at the present rates; not in result',
  })
  feesAccruedNotCharged!: string;
  @ListField(() => AssetChangeResponse, {
    description: 'amounts below the sixth decimal, which belong to no user; not in result',
  })
  rounding!: AssetChangeResponse[];
  @ListField(() => AssetChangeResponse, {
    description: 'USDT that was received and USDC that was credited for it; not in result',
  })
  conversion!: AssetChangeResponse[];
  @MoneyField({ description: 'income less expense' }) result!: string;
}

class BookPostingResponse {
  @UuidField() id!: string;
  @StringField({ example: 'withdrawal-completed' }) type!: string;
  @StringField({ example: 'withdrawal' }) referenceType!: string;
  @StringField({ description: 'the id of the record for which it was posted' }) referenceId!: string;
}

export class BookEntryResponse {
  @InstantField() at!: string;
  @NestedField(() => BookPostingResponse) posting!: BookPostingResponse;
  @StringField({ example: 'Deposit of 100.00 USDC' }) description!: string;
  @ExactAmountField({ description: SIGN }) amount!: string;
  @ExactAmountField({ description: `of the account after the entry; ${SIGN}` }) balance!: string;
}

export class AccountEntriesResponse {
  @NestedField(() => BookAccountResponse) account!: BookAccountResponse;
  @NestedField(() => BookPeriodResponse) period!: BookPeriodResponse;
  @ExactAmountField({ description: `balance before the first day; ${SIGN}` }) opening!: string;
  @ListField(() => BookEntryResponse, { description: 'the oldest first' }) entries!: BookEntryResponse[];
  @ExactAmountField({ description: `balance at the end of the last day; ${SIGN}` }) closing!: string;
}

import {
  EnumField,
  IntegerField,
  BooleanField,
  ListField,
  MoneyField,
  NestedField,
  NumberField,
  StringField,
} from '../../../../http/openapi/fields.js';
import {
  ABOUT_HOLD,
  ABOUT_LOCK,
  AccountLockResponse,
  HoldResponse,
  ABOUT_TIER,
  TierResponse,
} from '../../../identity/users/dto/user.response.js';
import { LIMIT_WINDOWS } from '../../../funds/withdrawals/domain/limit-windows.js';
import { DEPOSIT_CURRENCIES, NETWORKS } from '../../../funds/deposits/domain/networks.js';

export class UserWithdrawalLimitsResponse {
  @MoneyField({ description: 'smallest withdrawal' }) minimum!: string;
  @MoneyField({ example: '50000.00', description: 'for all withdrawals of any 24 hours' })
  dailyLimit!: string;
  @MoneyField({
    description:
      'sum of the withdrawals of the last 24 hours, except rejected and cancelled ones, and failed ones whose amount was returned',
  })
  usedToday!: string;
  @MoneyField({ description: 'dailyLimit less usedToday, never below zero; regardless of the balance' })
  available!: string;
  @BooleanField({ description: 'withdrawals of all users are paused' }) paused!: boolean;
  @StringField({ nullable: true, description: 'a fixed sentence for each cause; null while not paused' })
  pausedReason!: string | null;
  @EnumField(['optional', 'required'], {
    description: 'required: withdrawals go to addresses of the address book only',
  })
  addressBook!: string;
}

export class DepositLimitsResponse {
  @EnumField(DEPOSIT_CURRENCIES) currency!: string;
  @EnumField(NETWORKS) network!: string;
  @MoneyField({
    example: '500.00',
    description:
      'in the currency; smaller deposits wait until this much has arrived at the address; 0.00: any amount above zero',
  })
  minimum!: string;
  @IntegerField({ example: 12, description: 'confirmations after which a deposit is credited' })
  confirmations!: number;
}

export class StrategyLimitsResponse {
  @StringField({ example: 'balanced-10' }) strategyId!: string;
  @MoneyField({ description: 'smallest investment' }) minimum!: string;
  @MoneyField({ example: '1000000.00', description: 'largest investment of the user' }) maximum!: string;
  @IntegerField({ example: 0, description: 'days before an investment can be closed' }) lockDays!: number;
  @NumberField({ example: 0.5, description: 'per year, of principal, on closing' })
  managementFeePercent!: number;
  @NumberField({ example: 0, description: 'of earnings, on closing' }) performanceFeePercent!: number;
  @BooleanField({ description: 'accepts investments of the user; false while the strategy is suspended' })
  available!: boolean;
}

export class WindowResponse {
  @EnumField(LIMIT_WINDOWS, {
    description: 'transaction: a single withdrawal; day: any 24 hours; month: any 30 days',
  })
  window!: string;
  @MoneyField({
    example: '50000.00',
    description: 'the most that the withdrawals of the window may add up to',
  })
  limit!: string;
  @MoneyField({
    description:
      'sum of the withdrawals of the window, except rejected and cancelled ones, and failed ones whose amount was returned; always 0.00 for transaction',
  })
  used!: string;
  @MoneyField({ description: 'limit less used, never below zero; a withdrawal may exceed no window' })
  left!: string;
}

export class LimitsResponse {
  @NestedField(() => TierResponse, { description: ABOUT_TIER }) tier!: TierResponse;
  @ListField(() => WindowResponse, { description: 'the limits of withdrawals that the tier has' })
  windows!: WindowResponse[];
  @NestedField(() => UserWithdrawalLimitsResponse) withdrawals!: UserWithdrawalLimitsResponse;
  @ListField(() => DepositLimitsResponse, {
    description: 'all currencies on the networks that they come from',
  })
  deposits!: DepositLimitsResponse[];
  @ListField(() => StrategyLimitsResponse) strategies!: StrategyLimitsResponse[];
  @NestedField(() => HoldResponse, { nullable: true, description: ABOUT_HOLD }) hold!: HoldResponse | null;
  @NestedField(() => AccountLockResponse, { nullable: true, description: ABOUT_LOCK })
  locked!: AccountLockResponse | null;
}

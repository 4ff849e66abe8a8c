import {
  Choice,
  Count,
  Flag,
  ListOf,
  MoneyText,
  Nested,
  Ratio,
  Text,
} from '../../../../http/openapi/fields.js';
import {
  ABOUT_HOLD,
  ABOUT_LOCK,
  AccountLockResponse,
  HoldResponse,
} from '../../../identity/users/dto/security-hold.response.js';
import { ABOUT_TIER, TierResponse } from '../../../identity/users/dto/tier.response.js';
import { LIMIT_WINDOWS } from '../../../funds/withdrawals/domain/limit-windows.js';
import { DEPOSIT_CURRENCIES, NETWORKS } from '../../../funds/deposits/domain/networks.js';

export class UserWithdrawalLimitsResponse {
  @MoneyText({ description: 'smallest withdrawal' }) minimum!: string;
  @MoneyText({ example: '50000.00', description: 'for all withdrawals of any 24 hours' }) dailyLimit!: string;
  @MoneyText({
    description:
      'sum of the withdrawals of the last 24 hours, except rejected and cancelled ones, and failed ones whose amount was returned',
  })
  usedToday!: string;
  @MoneyText({ description: 'dailyLimit less usedToday, never below zero; regardless of the balance' })
  available!: string;
  @Flag({ description: 'withdrawals of all users are paused' }) paused!: boolean;
  @Text({ nullable: true, description: 'a fixed sentence for each cause; null while not paused' })
  pausedReason!: string | null;
  @Choice(['optional', 'required'], {
    description: 'required: withdrawals go to addresses of the address book only',
  })
  addressBook!: string;
}

export class DepositLimitsResponse {
  @Choice(DEPOSIT_CURRENCIES) currency!: string;
  @Choice(NETWORKS) network!: string;
  @MoneyText({
    example: '500.00',
    description:
      'in the currency; smaller deposits wait until this much has arrived at the address; 0.00: any amount above zero',
  })
  minimum!: string;
  @Count({ example: 12, description: 'confirmations after which a deposit is credited' })
  confirmations!: number;
}

export class StrategyLimitsResponse {
  @Text({ example: 'balanced-10' }) strategyId!: string;
  @MoneyText({ description: 'smallest investment' }) minimum!: string;
  @MoneyText({ example: '1000000.00', description: 'largest investment of the user' }) maximum!: string;
  @Count({ example: 0, description: 'days before an investment can be closed' }) lockDays!: number;
  @Ratio({ example: 0.5, description: 'per year, of principal, on closing' }) managementFeePercent!: number;
  @Ratio({ example: 0, description: 'of earnings, on closing' }) performanceFeePercent!: number;
  @Flag({ description: 'accepts investments of the user; false while the strategy is suspended' })
  available!: boolean;
}

export class WindowResponse {
  @Choice(LIMIT_WINDOWS, {
    description: 'transaction: a single withdrawal; day: any 24 hours; month: any 30 days',
  })
  window!: string;
  @MoneyText({
    example: '50000.00',
    description: 'the most that the withdrawals of the window may add up to',
  })
  limit!: string;
  @MoneyText({
    description:
      'sum of the withdrawals of the window, except rejected and cancelled ones, and failed ones whose amount was returned; always 0.00 for transaction',
  })
  used!: string;
  @MoneyText({ description: 'limit less used, never below zero; a withdrawal may exceed no window' })
  left!: string;
}

export class LimitsResponse {
  @Nested(() => TierResponse, { description: ABOUT_TIER }) tier!: TierResponse;
  @ListOf(() => WindowResponse, { description: 'the limits of withdrawals that the tier has' })
  windows!: WindowResponse[];
  @Nested(() => UserWithdrawalLimitsResponse) withdrawals!: UserWithdrawalLimitsResponse;
  @ListOf(() => DepositLimitsResponse, { description: 'all currencies on the networks that they come from' })
  deposits!: DepositLimitsResponse[];
  @ListOf(() => StrategyLimitsResponse) strategies!: StrategyLimitsResponse[];
  @Nested(() => HoldResponse, { nullable: true, description: ABOUT_HOLD }) hold!: HoldResponse | null;
  @Nested(() => AccountLockResponse, { nullable: true, description: ABOUT_LOCK })
  locked!: AccountLockResponse | null;
}

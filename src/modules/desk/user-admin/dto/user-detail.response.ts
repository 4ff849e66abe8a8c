import {
  Choice,
  Count,
  Flag,
  Instant,
  ListOf,
  MoneyText,
  Nested,
  Text,
  TextList,
  Uuid,
} from '../../../../http/openapi/fields.js';
import { ABOUT_INVESTMENT } from '../../../investing/investments/dto/investment.response.js';
import { SHOWN_STATUSES } from '../../../investing/investments/domain/investment.state-machine.js';
import { ComplianceResponse, PreferencesResponse } from '../../../identity/users/dto/profile.response.js';
import {
  ABOUT_HOLD,
  ABOUT_LOCK,
  AccountLockResponse,
  HoldResponse,
} from '../../../identity/users/dto/security-hold.response.js';
import { ABOUT_TIER, TierResponse } from '../../../identity/users/dto/tier.response.js';
import { USER_STATUSES } from '../../../identity/users/users.types.js';
import { ABOUT, ListedUserStatsResponse, RiskProfileResponse } from './user-list.response.js';

export class ShownProfileResponse {
  @Text({ nullable: true }) name!: string | null;
  @Nested(() => PreferencesResponse) preferences!: PreferencesResponse;
}

class UserStatsResponse extends ListedUserStatsResponse {
  @MoneyText({ description: 'available and invested, without the growth of open investments' })
  currentBalance!: string;
  @Count({ description: 'closed by the user or an admin; cancelled and moved investments do not count' })
  closedInvestments!: number;
  @Count({ description: 'the failed ones of lifetimeTransactions, including rejected withdrawals' })
  failedTransactions!: number;
}

class UserInvestmentResponse {
  @Uuid() id!: string;
  @Text({ example: 'balanced-10' }) strategyId!: string;
  @MoneyText(ABOUT_INVESTMENT.principal) amount!: string;
  @MoneyText(ABOUT_INVESTMENT.value) currentValue!: string;
  @MoneyText({ example: '0.50', ...ABOUT_INVESTMENT.earnings }) earnings!: string;
  @Choice(SHOWN_STATUSES) status!: string;
  @Instant() createdAt!: string;
}

class UserActivityResponse {
  @Text({ example: 'deposit', description: 'type of the transaction; status for a change of the status' })
  type!: string;
  @Text() description!: string;
  @Instant() timestamp!: string;
}

class UserRiskProfileResponse extends RiskProfileResponse {
  @MoneyText({
    description:
      'principal of the largest investment before its partial closings, ended ones included; 0.00 without any',
  })
  largestInvestment!: string;
  @Text({
    nullable: true,
    description:
      'the strategy with the most principal before partial closings, ended investments included; null without any',
  })
  preferredStrategy!: string | null;
}

class UserComplianceResponse extends ComplianceResponse {
  @Text({ nullable: true, description: 'always null: the sign-ins have the addresses' }) ipAddress!:
    string | null;
  @Text({ nullable: true, description: 'always null: the country is not collected' }) country!: string | null;
  @Choice(['identity_provider', 'admin'], {
    description: 'whether the first sign-in or an admin created the account',
  })
  registrationSource!: string;
}

const ABOUT_STATUS_HISTORY = { description: 'the newest first, at most a hundred' };

export class PastStatusResponse {
  @Choice(USER_STATUSES) status!: string;
  @Text({ nullable: true }) reason!: string | null;
  @Instant() changedAt!: string;
  @Text({ description: "an admin's e-mail" }) changedBy!: string;
}

export class UserDetailResponse {
  @Uuid() id!: string;
  @Text({ example: 'ann@example.org' }) email!: string;
  @Flag({ description: ABOUT.verified }) emailVerified!: boolean;
  @Text({ nullable: true, description: ABOUT.wallet }) walletAddress!: string | null;
  @Choice(USER_STATUSES) status!: string;
  @Nested(() => HoldResponse, { nullable: true, description: ABOUT_HOLD }) hold!: HoldResponse | null;
  @Nested(() => TierResponse, { description: ABOUT_TIER }) tier!: TierResponse;
  @Nested(() => AccountLockResponse, { nullable: true, description: ABOUT_LOCK })
  locked!: AccountLockResponse | null;
  @Text({ example: 'user', description: ABOUT.role }) role!: string;
  @Instant() createdAt!: string;
  @Instant({ nullable: true }) lastLoginAt!: string | null;
  @Nested(() => ShownProfileResponse) profile!: ShownProfileResponse;
  @Nested(() => UserStatsResponse) stats!: UserStatsResponse;
  @ListOf(() => UserInvestmentResponse, { description: 'the newest hundred' })
  investments!: UserInvestmentResponse[];
  @ListOf(() => UserActivityResponse, { description: 'the newest twenty' })
  recentActivity!: UserActivityResponse[];
  @ListOf(() => PastStatusResponse, ABOUT_STATUS_HISTORY) statusHistory!: PastStatusResponse[];
  @Nested(() => UserRiskProfileResponse) riskProfile!: UserRiskProfileResponse;
  @Nested(() => UserComplianceResponse) compliance!: UserComplianceResponse;
}

export class ShortUserDetailResponse {
  @Uuid() id!: string;
  @Text({ example: 'ann@example.org' }) email!: string;
  @Choice(USER_STATUSES) status!: string;
  @Text({ nullable: true, description: ABOUT.wallet }) walletAddress!: string | null;
  @Instant() createdAt!: string;
  @Instant() updatedAt!: string;
}

export class ShortUserAnswerResponse {
  @Nested(() => ShortUserDetailResponse) user!: ShortUserDetailResponse;
}

export class CreatedUserResponse extends ShortUserDetailResponse {
  @Text({
    nullable: true,
    description: 'as proposed in the request, checksummed; no other response has it until the user links it',
  })
  override walletAddress!: string | null;
  @Text({ nullable: true, description: 'always null: users fill in their profiles themselves' })
  profile!: string | null;
  @TextList({ description: 'always empty: permissions are for admins' }) permissions!: string[];
}

export class ChangedUserResponse {
  @Uuid() id!: string;
  @Uuid({ description: 'the same as id' }) userId!: string;
  @Text({ example: 'ann@example.org' }) email!: string;
  @Choice(USER_STATUSES) status!: string;
  @Instant() updatedAt!: string;
  @Text({ description: 'the e-mail of the admin who called' }) updatedBy!: string;
  @Nested(() => ShownProfileResponse) updatedProfile!: ShownProfileResponse;
  @ListOf(() => PastStatusResponse, ABOUT_STATUS_HISTORY) statusHistory!: PastStatusResponse[];
}

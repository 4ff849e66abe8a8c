import {
  AsOfField,
  BooleanField,
  EnumField,
  InstantField,
  IntegerField,
  ListField,
  MoneyField,
  NestedField,
  NumberField,
  PaginationField,
  StringField,
  StringListField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { ABOUT_INVESTMENT } from '../../../investing/investments/dto/investment.response.js';
import { SHOWN_STATUSES } from '../../../investing/investments/domain/investment.state-machine.js';
import type { Pagination } from '../../../../http/request/pagination.js';
import {
  ComplianceResponse,
  PreferencesResponse,
  ABOUT_HOLD,
  ABOUT_LOCK,
  ABOUT_TIER,
  AccountLockResponse,
  HoldResponse,
  TierResponse,
} from '../../../identity/users/dto/user.response.js';
import { USER_STATUSES } from '../../../identity/users/users.types.js';

export const ABOUT = {
  role: 'user; the first role of an admin, whose account is in no list',
  verified: 'the identity provider has confirmed the present address',
  wallet: 'the first linked wallet that is not suspended',
  investments: 'all investments ever made; a move to another strategy does not count as a new one',
  invested: 'principal of all investments ever made',
  withdrawn: 'sum of all withdrawals that were paid',
  earnings: 'growth of all investments ever made, before fees: realised, and the present growth of open ones',
  active: 'active and paused investments',
  transactions: 'transactions of every type and status',
  level:
    'low below a score of 1.5, medium below 2.5, otherwise high; null without active and paused investments',
  score:
    "average of the strategies' risk levels (1 low, 2 medium, 3 high) weighted by the principal of active and paused investments",
  strategies: 'of active and paused investments, the most invested first',
} as const;

const RISK_LEVELS = ['low', 'medium', 'high'] as const;

export class ShortUserResponse {
  @UuidField() id!: string;
  @StringField({ example: 'ann@example.org' }) email!: string;
  @EnumField(USER_STATUSES) status!: string;
  @StringField({ example: 'user', description: ABOUT.role }) role!: string;
  @IntegerField({ description: ABOUT.investments }) totalInvestments!: number;
  @MoneyField({ description: ABOUT.invested }) totalAmount!: string;
  @InstantField() createdAt!: string;
  @InstantField() updatedAt!: string;
}

export class ListedUserStatsResponse {
  @MoneyField({ description: ABOUT.invested }) totalInvested!: string;
  @MoneyField({ description: ABOUT.withdrawn }) totalWithdrawn!: string;
  @MoneyField({ description: ABOUT.earnings }) totalEarnings!: string;
  @IntegerField({ description: ABOUT.active }) activeInvestments!: number;
  @IntegerField({ description: ABOUT.transactions }) lifetimeTransactions!: number;
}

export class RiskProfileResponse {
  @EnumField(RISK_LEVELS, { nullable: true, description: ABOUT.level }) level!: string | null;
  @NumberField({ nullable: true, example: 1.5, description: ABOUT.score }) score!: number | null;
  @StringListField({ description: ABOUT.strategies }) strategies!: string[];
}

export class ListedUserResponse extends ShortUserResponse {
  @NestedField(() => TierResponse, { description: ABOUT_TIER }) tier!: TierResponse;
  @StringField({ nullable: true, description: ABOUT.wallet }) walletAddress!: string | null;
  @BooleanField({ description: ABOUT.verified }) emailVerified!: boolean;
  @InstantField({ nullable: true }) lastLoginAt!: string | null;
  @NestedField(() => ListedUserStatsResponse) stats!: ListedUserStatsResponse;
  @NestedField(() => RiskProfileResponse) riskProfile!: RiskProfileResponse;
}

export class UserListSummaryResponse {
  @IntegerField({ description: 'users that the filter selects, as for all figures of the summary' })
  totalUsers!: number;
  @IntegerField({
    description: 'of status active, whatever they do; reports count users by their investments',
  })
  activeUsers!: number;
  @IntegerField({ description: 'of status suspended' }) suspendedUsers!: number;
  @IntegerField({ description: 'of status inactive' }) inactiveUsers!: number;
  @MoneyField({ description: 'current value of their active and paused investments, rounded once' })
  totalPlatformTVL!: string;
  @MoneyField({
    description:
      'value of their open investments (pending, active, paused), divided by the number of them who have one; 0.00 without such users',
  })
  averageInvestmentPerUser!: string;
  @AsOfField() asOf!: string;
}

export class ShortUserListResponse {
  @ListField(() => ShortUserResponse) users!: ShortUserResponse[];
  @PaginationField() pagination!: Pagination;
}

export class UserSuggestionResponse {
  @UuidField() id!: string;
  @StringField({ example: 'ann@example.org' }) email!: string;
  @NumberField({
    example: 0.6,
    description: 'share of common three-letter groups in the part before the @',
  })
  similarity!: number;
}

export class UserSearchResponse {
  @ListField(() => ShortUserResponse, { description: 'the user with exactly this address' })
  users!: ShortUserResponse[];
  @ListField(() => UserSuggestionResponse, {
    description:
      'if there is no such user: up to ten addresses, first those that contain the text, then the most similar ones',
  })
  suggestions!: UserSuggestionResponse[];
}

export class ShownProfileResponse {
  @StringField({ nullable: true }) name!: string | null;
  @NestedField(() => PreferencesResponse) preferences!: PreferencesResponse;
}

class UserStatsResponse extends ListedUserStatsResponse {
  @MoneyField({ description: 'available and invested, without the growth of open investments' })
  currentBalance!: string;
  @IntegerField({
    description: 'closed by the user or an admin; cancelled and moved investments do not count',
  })
  closedInvestments!: number;
  @IntegerField({ description: 'the failed ones of lifetimeTransactions, including rejected withdrawals' })
  failedTransactions!: number;
}

class UserInvestmentResponse {
  @UuidField() id!: string;
  @StringField({ example: 'balanced-10' }) strategyId!: string;
  @MoneyField(ABOUT_INVESTMENT.principal) amount!: string;
  @MoneyField(ABOUT_INVESTMENT.value) currentValue!: string;
  @MoneyField({ example: '0.50', ...ABOUT_INVESTMENT.earnings }) earnings!: string;
  @EnumField(SHOWN_STATUSES) status!: string;
  @InstantField() createdAt!: string;
}

class UserActivityResponse {
  @StringField({
    example: 'deposit',
    description: 'type of the transaction; status for a change of the status',
  })
  type!: string;
  @StringField() description!: string;
  @InstantField() timestamp!: string;
}

class UserRiskProfileResponse extends RiskProfileResponse {
  @MoneyField({
    description:
      'principal of the largest investment before its partial closings, ended ones included; 0.00 without any',
  })
  largestInvestment!: string;
  @StringField({
    nullable: true,
    description:
      'the strategy with the most principal before partial closings, ended investments included; null without any',
  })
  preferredStrategy!: string | null;
}

class UserComplianceResponse extends ComplianceResponse {
  @StringField({ nullable: true, description: 'always null: the sign-ins have the addresses' }) ipAddress!:
    string | null;
  @StringField({ nullable: true, description: 'always null: the country is not collected' }) country!:
    string | null;
  @EnumField(['identity_provider', 'admin'], {
    description: 'whether the first sign-in or an admin created the account',
  })
  registrationSource!: string;
}

const ABOUT_STATUS_HISTORY = { description: 'the newest first, at most a hundred' };

export class PastStatusResponse {
  @EnumField(USER_STATUSES) status!: string;
  @StringField({ nullable: true }) reason!: string | null;
  @InstantField() changedAt!: string;
  @StringField({ description: "an admin's e-mail" }) changedBy!: string;
}

export class UserDetailResponse {
  @UuidField() id!: string;
  @StringField({ example: 'ann@example.org' }) email!: string;
  @BooleanField({ description: ABOUT.verified }) emailVerified!: boolean;
  @StringField({ nullable: true, description: ABOUT.wallet }) walletAddress!: string | null;
  @EnumField(USER_STATUSES) status!: string;
  @NestedField(() => HoldResponse, { nullable: true, description: ABOUT_HOLD }) hold!: HoldResponse | null;
  @NestedField(() => TierResponse, { description: ABOUT_TIER }) tier!: TierResponse;
  @NestedField(() => AccountLockResponse, { nullable: true, description: ABOUT_LOCK })
  locked!: AccountLockResponse | null;
  @StringField({ example: 'user', description: ABOUT.role }) role!: string;
  @InstantField() createdAt!: string;
  @InstantField({ nullable: true }) lastLoginAt!: string | null;
  @NestedField(() => ShownProfileResponse) profile!: ShownProfileResponse;
  @NestedField(() => UserStatsResponse) stats!: UserStatsResponse;
  @ListField(() => UserInvestmentResponse, { description: 'the newest hundred' })
  investments!: UserInvestmentResponse[];
  @ListField(() => UserActivityResponse, { description: 'the newest twenty' })
  recentActivity!: UserActivityResponse[];
  @ListField(() => PastStatusResponse, ABOUT_STATUS_HISTORY) statusHistory!: PastStatusResponse[];
  @NestedField(() => UserRiskProfileResponse) riskProfile!: UserRiskProfileResponse;
  @NestedField(() => UserComplianceResponse) compliance!: UserComplianceResponse;
}

export class ShortUserDetailResponse {
  @UuidField() id!: string;
  @StringField({ example: 'ann@example.org' }) email!: string;
  @EnumField(USER_STATUSES) status!: string;
  @StringField({ nullable: true, description: ABOUT.wallet }) walletAddress!: string | null;
  @InstantField() createdAt!: string;
  @InstantField() updatedAt!: string;
}

export class ShortUserAnswerResponse {
  @NestedField(() => ShortUserDetailResponse) user!: ShortUserDetailResponse;
}

export class CreatedUserResponse extends ShortUserDetailResponse {
  @StringField({
    nullable: true,
    description: 'as proposed in the request, checksummed; no other response has it until the user links it',
  })
  override walletAddress!: string | null;
  @StringField({ nullable: true, description: 'always null: users fill in their profiles themselves' })
  profile!: string | null;
  @StringListField({ description: 'always empty: permissions are for admins' }) permissions!: string[];
}

export class ChangedUserResponse {
  @UuidField() id!: string;
  @UuidField({ description: 'the same as id' }) userId!: string;
  @StringField({ example: 'ann@example.org' }) email!: string;
  @EnumField(USER_STATUSES) status!: string;
  @InstantField() updatedAt!: string;
  @StringField({ description: 'the e-mail of the admin who called' }) updatedBy!: string;
  @NestedField(() => ShownProfileResponse) updatedProfile!: ShownProfileResponse;
  @ListField(() => PastStatusResponse, ABOUT_STATUS_HISTORY) statusHistory!: PastStatusResponse[];
}

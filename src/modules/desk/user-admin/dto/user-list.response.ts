import {
  AsOfField,
  EnumField,
  IntegerField,
  BooleanField,
  InstantField,
  ListField,
  MoneyField,
  NestedField,
  PaginationField,
  NumberField,
  StringField,
  StringListField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import type { Pagination } from '../../../../http/request/pagination.js';
import { ABOUT_TIER, TierResponse } from '../../../identity/users/dto/user.response.js';
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

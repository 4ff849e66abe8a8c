import {
  AsOf,
  Choice,
  Count,
  Flag,
  Instant,
  ListOf,
  MoneyText,
  Nested,
  PaginationField,
  Ratio,
  Text,
  TextList,
  Uuid,
} from '../../../../http/openapi/fields.js';
import type { Pagination } from '../../../../http/request/pagination.js';
import { ABOUT_TIER, TierResponse } from '../../../identity/users/dto/tier.response.js';
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
  @Uuid() id!: string;
  @Text({ example: 'ann@example.org' }) email!: string;
  @Choice(USER_STATUSES) status!: string;
  @Text({ example: 'user', description: ABOUT.role }) role!: string;
  @Count({ description: ABOUT.investments }) totalInvestments!: number;
  @MoneyText({ description: ABOUT.invested }) totalAmount!: string;
  @Instant() createdAt!: string;
  @Instant() updatedAt!: string;
}

export class ListedUserStatsResponse {
  @MoneyText({ description: ABOUT.invested }) totalInvested!: string;
  @MoneyText({ description: ABOUT.withdrawn }) totalWithdrawn!: string;
  @MoneyText({ description: ABOUT.earnings }) totalEarnings!: string;
  @Count({ description: ABOUT.active }) activeInvestments!: number;
  @Count({ description: ABOUT.transactions }) lifetimeTransactions!: number;
}

export class RiskProfileResponse {
  @Choice(RISK_LEVELS, { nullable: true, description: ABOUT.level }) level!: string | null;
  @Ratio({ nullable: true, example: 1.5, description: ABOUT.score }) score!: number | null;
  @TextList({ description: ABOUT.strategies }) strategies!: string[];
}

export class ListedUserResponse extends ShortUserResponse {
  @Nested(() => TierResponse, { description: ABOUT_TIER }) tier!: TierResponse;
  @Text({ nullable: true, description: ABOUT.wallet }) walletAddress!: string | null;
  @Flag({ description: ABOUT.verified }) emailVerified!: boolean;
  @Instant({ nullable: true }) lastLoginAt!: string | null;
  @Nested(() => ListedUserStatsResponse) stats!: ListedUserStatsResponse;
  @Nested(() => RiskProfileResponse) riskProfile!: RiskProfileResponse;
}

export class UserListSummaryResponse {
  @Count({ description: 'users that the filter selects, as for all figures of the summary' })
  totalUsers!: number;
  @Count({ description: 'of status active, whatever they do; reports count users by their investments' })
  activeUsers!: number;
  @Count({ description: 'of status suspended' }) suspendedUsers!: number;
  @Count({ description: 'of status inactive' }) inactiveUsers!: number;
  @MoneyText({ description: 'current value of their active and paused investments, rounded once' })
  totalPlatformTVL!: string;
  @MoneyText({
    description:
      'value of their open investments (pending, active, paused), divided by the number of them who have one; 0.00 without such users',
  })
  averageInvestmentPerUser!: string;
  @AsOf() asOf!: string;
}

export class ShortUserListResponse {
  @ListOf(() => ShortUserResponse) users!: ShortUserResponse[];
  @PaginationField() pagination!: Pagination;
}

export class UserSuggestionResponse {
  @Uuid() id!: string;
  @Text({ example: 'ann@example.org' }) email!: string;
  @Ratio({
    example: 0.6,
    description: 'share of common three-letter groups in the part before the @',
  })
  similarity!: number;
}

export class UserSearchResponse {
  @ListOf(() => ShortUserResponse, { description: 'the user with exactly this address' })
  users!: ShortUserResponse[];
  @ListOf(() => UserSuggestionResponse, {
    description:
      'if there is no such user: up to ten addresses, first those that contain the text, then the most similar ones',
  })
  suggestions!: UserSuggestionResponse[];
}

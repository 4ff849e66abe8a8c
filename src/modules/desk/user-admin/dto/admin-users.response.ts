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
import { SUSPENDED } from '../../../identity/wallets/dto/wallet.response.js';
import {
  ABOUT_HOLD,
  AccountLockResponse,
  HoldResponse,
} from '../../../identity/users/dto/security-hold.response.js';
import { ABOUT_TIER, TierResponse } from '../../../identity/users/dto/tier.response.js';
import { USER_STATUSES } from '../../../identity/users/users.types.js';
import { ABOUT } from './user-list.response.js';
import { ADDRESS_CURRENCIES, NETWORKS } from '../../../funds/deposits/domain/networks.js';

class FinalStatsResponse {
  @MoneyText({ description: ABOUT.invested }) totalInvested!: string;
  @MoneyText({ description: ABOUT.withdrawn }) totalWithdrawn!: string;
  @MoneyText({ description: ABOUT.earnings }) totalEarnings!: string;
}

export class RemovedUserResponse {
  @Uuid() userId!: string;
  @Text({ example: 'ann@example.org' }) email!: string;
  @Choice(['inactive']) status!: string;
  @Flag({ description: 'the account is erased' }) permanent!: boolean;
  @Instant() deactivatedAt!: string;
  @Text({ description: "an admin's e-mail" }) deactivatedBy!: string;
  @Nested(() => FinalStatsResponse) finalStats!: FinalStatsResponse;
}

class PersonalWalletResponse {
  @Uuid() id!: string;
  @Text({ description: 'checksummed' }) address!: string;
  @Count({ description: 'id of the chain' }) networkId!: number;
  @Choice(['personal']) type!: string;
  @Instant() createdAt!: string;
  @Instant({ nullable: true, description: SUSPENDED }) suspendedAt!: string | null;
}

class DepositWalletResponse {
  @Text({ example: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' }) address!: string;
  @Count({ example: 728126428, description: 'id of the chain' }) networkId!: number;
  @Choice(['deposit']) type!: string;
  @Choice(NETWORKS) network!: string;
  @Choice(ADDRESS_CURRENCIES) currency!: string;
  @Instant() createdAt!: string;
  @Text({ nullable: true, description: 'always null: the provider keeps the keys' }) derivationPath!:
    string | null;
  @Count({ nullable: true, description: 'always null: the provider keeps the keys' }) addressIndex!:
    number | null;
}

class UserOfWalletsResponse {
  @Uuid() id!: string;
  @Text({ example: 'ann@example.org' }) email!: string;
  @Choice(USER_STATUSES) status!: string;
  @ListOf(() => PersonalWalletResponse, {
    description: 'can sign in to the account, unless they are suspended',
  })
  personalWallets!: PersonalWalletResponse[];
  @ListOf(() => DepositWalletResponse, {
    description: 'deposits to these addresses are credited to the user',
  })
  depositWallets!: DepositWalletResponse[];
}

export class UserWalletsResponse {
  @Nested(() => UserOfWalletsResponse) user!: UserOfWalletsResponse;
}

export class AdminSelfResponse {
  @Uuid() id!: string;
  @Text() email!: string;
  @Text({ nullable: true, description: 'the first of the roles' }) role!: string | null;
  @TextList({ description: '* means all' }) permissions!: string[];
  @Choice(['active', 'disabled']) status!: string;
  @Instant({ nullable: true, description: 'as ADMINS_FILE states it; null if it states none' })
  createdAt!: string | null;
  @Instant({ nullable: true, description: 'as ADMINS_FILE states it; null if it states none' })
  updatedAt!: string | null;
}

export class DeletedTestDataResponse {
  @Count({ description: 'test users that were deleted with all their data' }) erased!: number;
  @Count({
    description:
      'test users with records of money, which were deactivated and lost name, e-mail address and sessions',
  })
  anonymised!: number;
  @Count({ description: 'test users that still exist; call again' }) remaining!: number;
}

export class CleanedTestDataResponse {
  @Count({ description: 'expired' }) sessions!: number;
  @Count({ description: 'expired' }) refreshTokens!: number;
  @Count({ description: 'older than 24 hours' }) idempotencyResults!: number;
  @Count({ description: 'expired challenges of linked wallets' }) walletNonces!: number;
}

export class EndedHoldResponse {
  @Uuid({ description: 'of the user' }) id!: string;
  @Nested(() => HoldResponse, { description: 'the hold that has ended' }) ended!: HoldResponse;
  @Text({ example: 'admin@example.com' }) endedBy!: string;
}

export class ChangedTierResponse {
  @Uuid({ description: 'of the user' }) id!: string;
  @Nested(() => TierResponse, { description: ABOUT_TIER }) tier!: TierResponse;
}

export class LockedUserResponse {
  @Uuid({ description: 'of the user' }) id!: string;
  @Nested(() => AccountLockResponse) locked!: AccountLockResponse;
}

export class EndedLockResponse {
  @Uuid({ description: 'of the user' }) id!: string;
  @Nested(() => AccountLockResponse, { description: 'the lock that has ended' }) ended!: AccountLockResponse;
  @Text({ example: 'admin@example.com' }) endedBy!: string;
}

export class ResetFactorsResponse {
  @Uuid({ description: 'of the user' }) id!: string;
  @Nested(() => HoldResponse, { nullable: true, description: ABOUT_HOLD }) hold!: HoldResponse | null;
  @Text({ example: 'admin@example.com' }) resetBy!: string;
}

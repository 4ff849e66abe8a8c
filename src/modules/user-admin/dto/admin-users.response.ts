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
} from '../../../http/openapi/fields.js';
import type { AppConfig } from '../../../config/app-config.js';
import type { Admin } from '../../admins/admin-directory.service.js';
import { chainIdOf } from '../../deposits/networks.js';
import type { UserSummary } from '../../users/users.service.js';
import type { Wallet } from '../../wallets/wallet-links.service.js';
import { SUSPENDED } from '../../wallets/dto/wallet.response.js';
import { USER_STATUSES } from '../../users/users.types.js';
import type { CleanedTestData, DeletedTestData } from '../test-data.service.js';
import type { RemovedUser } from '../user-admin.service.js';
import type { DepositWallet } from '../user-detail.repository.js';
import { ABOUT } from './user-list.response.js';

// What admins see beside lists and details.

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

export function toRemovedUserResponse(user: RemovedUser): RemovedUserResponse {
  return {
    userId: user.id,
    email: user.email,
    status: 'inactive',
    permanent: user.permanent,
    deactivatedAt: user.deactivatedAt.toISOString(),
    deactivatedBy: user.deactivatedBy,
    finalStats: {
      totalInvested: user.totalInvested.toWire(),
      totalWithdrawn: user.totalWithdrawn.toWire(),
      totalEarnings: user.totalEarnings.toWire(),
    },
  };
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
  @Text({ example: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' }) address!: string;
  @Count({ example: 728126428, description: 'id of the chain' }) networkId!: number;
  @Choice(['deposit']) type!: string;
  @Text({ example: 'TRC20' }) network!: string;
  @Text({ example: 'USDT' }) currency!: string;
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
  @ListOf(() => DepositWalletResponse, { description: 'what is sent there is credited to the user' })
  depositWallets!: DepositWalletResponse[];
}

export class UserWalletsResponse {
  @Nested(() => UserOfWalletsResponse) user!: UserOfWalletsResponse;
}

export function toUserWalletsResponse(
  user: UserSummary,
  personal: readonly Wallet[],
  deposit: readonly DepositWallet[],
  config: AppConfig,
): UserWalletsResponse {
  return {
    user: {
      id: user.id,
      email: user.email,
      status: user.status,
      personalWallets: personal.map(({ id, address, createdAt, suspendedAt }) => ({
        id,
        address,
        networkId: config.CHAIN_ID,
        type: 'personal',
        createdAt: createdAt.toISOString(),
        suspendedAt: suspendedAt?.toISOString() ?? null,
      })),
      depositWallets: deposit.map(({ address, network, currency, createdAt }) => ({
        address,
        networkId: chainIdOf(config, network),
        type: 'deposit',
        network,
        currency,
        createdAt: createdAt.toISOString(),
        derivationPath: null,
        addressIndex: null,
      })),
    },
  };
}

export class AdminSelfResponse {
  @Uuid() id!: string;
  @Text() email!: string;
  @Text({ nullable: true, description: 'the first of the roles' }) role!: string | null;
  @TextList({ description: '* is all' }) permissions!: string[];
  @Choice(['active', 'disabled']) status!: string;
  @Instant({ nullable: true, description: 'as ADMINS_FILE states it; null where it does not' })
  createdAt!: string | null;
  @Instant({ nullable: true, description: 'as ADMINS_FILE states it; null where it does not' })
  updatedAt!: string | null;
}

export function toAdminSelfResponse(admin: Admin): AdminSelfResponse {
  return {
    id: admin.id,
    email: admin.email,
    role: admin.roles[0] ?? null,
    permissions: [...admin.permissions],
    status: admin.status,
    createdAt: admin.createdAt?.toISOString() ?? null,
    updatedAt: admin.updatedAt?.toISOString() ?? null,
  };
}

export class DeletedTestDataResponse {
  @Count({ description: 'test users of whom nothing is left' }) erased!: number;
  @Count({ description: 'test users with records of money: deactivated, without name, address and sessions' })
  anonymised!: number;
  @Count({ description: 'test users who are still there: call again' }) remaining!: number;
}

export function toDeletedTestDataResponse({
  erased,
  anonymised,
  remaining,
}: DeletedTestData): DeletedTestDataResponse {
  return { erased, anonymised, remaining };
}

export class CleanedTestDataResponse {
  @Count({ description: 'expired' }) sessions!: number;
  @Count({ description: 'expired' }) refreshTokens!: number;
  @Count({ description: 'older than 24 hours' }) idempotencyResults!: number;
  @Count({ description: 'expired challenges of linked wallets' }) walletNonces!: number;
}

export function toCleanedTestDataResponse(cleaned: CleanedTestData): CleanedTestDataResponse {
  const { sessions, refreshTokens, idempotencyResults, walletNonces } = cleaned;
  return { sessions, refreshTokens, idempotencyResults, walletNonces };
}

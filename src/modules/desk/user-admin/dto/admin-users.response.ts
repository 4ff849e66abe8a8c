import {
  EnumField,
  IntegerField,
  BooleanField,
  InstantField,
  ListField,
  MoneyField,
  NestedField,
  StringField,
  StringListField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { ADDRESS_BOOK_RULES } from '../../../../config/limits-file.js';
import { WalletResponse } from '../../../identity/wallets/dto/wallet.response.js';
import {
  ABOUT_HOLD,
  AccountLockResponse,
  HoldResponse,
  ABOUT_TIER,
  TierResponse,
} from '../../../identity/users/dto/user.response.js';
import { USER_STATUSES } from '../../../identity/users/users.types.js';
import { ABOUT } from './user.response.js';
import { ADDRESS_CURRENCIES, NETWORKS } from '../../../funds/deposits/domain/networks.js';

class FinalStatsResponse {
  @MoneyField({ description: ABOUT.invested }) totalInvested!: string;
  @MoneyField({ description: ABOUT.withdrawn }) totalWithdrawn!: string;
  @MoneyField({ description: ABOUT.earnings }) totalEarnings!: string;
}

export class RemovedUserResponse {
  @UuidField() userId!: string;
  @StringField({ example: 'ann@example.org' }) email!: string;
  @EnumField(['inactive']) status!: string;
  @BooleanField({ description: 'the account is erased' }) permanent!: boolean;
  @InstantField() deactivatedAt!: string;
  @StringField({ description: "an admin's e-mail" }) deactivatedBy!: string;
  @NestedField(() => FinalStatsResponse) finalStats!: FinalStatsResponse;
}

class PersonalWalletResponse extends WalletResponse {
  @EnumField(['personal']) type!: string;
}

class DepositWalletResponse {
  @StringField({ example: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' }) address!: string;
  @IntegerField({ example: 728126428, description: 'id of the chain' }) networkId!: number;
  @EnumField(['deposit']) type!: string;
  @EnumField(NETWORKS) network!: string;
  @EnumField(ADDRESS_CURRENCIES) currency!: string;
  @InstantField() createdAt!: string;
  @StringField({ nullable: true, description: 'always null: the provider keeps the keys' }) derivationPath!:
    string | null;
  @IntegerField({ nullable: true, description: 'always null: the provider keeps the keys' }) addressIndex!:
    number | null;
}

class UserOfWalletsResponse {
  @UuidField() id!: string;
  @StringField({ example: 'ann@example.org' }) email!: string;
  @EnumField(USER_STATUSES) status!: string;
  @ListField(() => PersonalWalletResponse, {
    description: 'can sign in to the account, unless they are suspended',
  })
  personalWallets!: PersonalWalletResponse[];
  @ListField(() => DepositWalletResponse, {
    description: 'deposits to these addresses are credited to the user',
  })
  depositWallets!: DepositWalletResponse[];
}

export class UserWalletsResponse {
  @NestedField(() => UserOfWalletsResponse) user!: UserOfWalletsResponse;
}

export class AdminSelfResponse {
  @UuidField() id!: string;
  @StringField() email!: string;
  @StringField({ nullable: true, description: 'the first of the roles' }) role!: string | null;
  @StringListField({ description: '* means all' }) permissions!: string[];
  @EnumField(['active', 'disabled']) status!: string;
  @InstantField({ nullable: true, description: 'as ADMINS_FILE states it; null if it states none' })
  createdAt!: string | null;
  @InstantField({ nullable: true, description: 'as ADMINS_FILE states it; null if it states none' })
  updatedAt!: string | null;
}

export class DeletedTestDataResponse {
  @IntegerField({ description: 'test users that were deleted with all their data' }) erased!: number;
  @IntegerField({
    description:
      'test users with records of money, which were deactivated and lost name, e-mail address and sessions',
  })
  anonymised!: number;
  @IntegerField({ description: 'test users that still exist; call again' }) remaining!: number;
}

export class CleanedTestDataResponse {
  @IntegerField({ description: 'expired' }) sessions!: number;
  @IntegerField({ description: 'expired' }) refreshTokens!: number;
  @IntegerField({ description: 'older than 24 hours' }) idempotencyResults!: number;
  @IntegerField({ description: 'expired challenges of linked wallets' }) walletNonces!: number;
}

export class EndedHoldResponse {
  @UuidField({ description: 'of the user' }) id!: string;
  @NestedField(() => HoldResponse, { description: 'the hold that has ended' }) ended!: HoldResponse;
  @StringField({ example: 'admin@example.com' }) endedBy!: string;
}

const NO_LIMIT = 'null: no such limit';

class TierWithdrawalResponse {
  @MoneyField({ description: 'the smallest withdrawal' }) minimum!: string;
  @MoneyField({ nullable: true, description: NO_LIMIT }) perTransaction!: string | null;
  @MoneyField({ description: 'in any 24 hours' }) perDay!: string;
  @MoneyField({ nullable: true, description: `in any 30 days; ${NO_LIMIT}` }) perMonth!: string | null;
}

class TierInvestmentResponse {
  @MoneyField({ nullable: true, description: `of one investment; ${NO_LIMIT}` }) maximum!: string | null;
}

export class LimitTierResponse {
  @StringField({ example: 'standard' }) id!: string;
  @StringField({ example: 'Standard' }) name!: string;
  @NestedField(() => TierWithdrawalResponse) withdrawal!: TierWithdrawalResponse;
  @NestedField(() => TierInvestmentResponse) investment!: TierInvestmentResponse;
  @MoneyField({
    nullable: true,
    description: 'from this amount on a second admin approves a withdrawal; null: from none',
  })
  approvalAbove!: string | null;
  @EnumField(ADDRESS_BOOK_RULES, {
    description: 'required: withdrawals go to addresses of the address book only',
  })
  addressBook!: string;
  @IntegerField({ description: 'hours until a new address of the address book is usable' })
  addressDelayHours!: number;
}

export class ChangedTierResponse {
  @UuidField({ description: 'of the user' }) id!: string;
  @NestedField(() => TierResponse, { description: ABOUT_TIER }) tier!: TierResponse;
}

export class LockedUserResponse {
  @UuidField({ description: 'of the user' }) id!: string;
  @NestedField(() => AccountLockResponse) locked!: AccountLockResponse;
}

export class EndedLockResponse {
  @UuidField({ description: 'of the user' }) id!: string;
  @NestedField(() => AccountLockResponse, { description: 'the lock that has ended' })
  ended!: AccountLockResponse;
  @StringField({ example: 'admin@example.com' }) endedBy!: string;
}

export class ResetFactorsResponse {
  @UuidField({ description: 'of the user' }) id!: string;
  @NestedField(() => HoldResponse, { nullable: true, description: ABOUT_HOLD }) hold!: HoldResponse | null;
  @StringField({ example: 'admin@example.com' }) resetBy!: string;
}

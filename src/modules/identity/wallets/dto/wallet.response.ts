import {
  IntegerField,
  BooleanField,
  InstantField,
  ListField,
  MoneyField,
  StringField,
  UuidField,
} from '../../../../http/openapi/fields.js';

const ADDRESS = { description: 'checksummed', example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' };

export class WalletChallengeResponse {
  @StringField(ADDRESS) address!: string;
  @BooleanField({ description: 'linked to an account and not suspended' }) registered!: boolean;
  @StringField({ description: 'valid for one sign-in or one linking, within 5 minutes' }) nonce!: string;
  @StringField({ description: 'EIP-4361; to be signed without changes' }) message!: string;
  @InstantField() expiresAt!: string;
}

const SUSPENDED = 'since when the wallet cannot sign in until it is linked again; null if it can';

export class WalletResponse {
  @UuidField() id!: string;
  @StringField(ADDRESS) address!: string;
  @IntegerField({ description: 'id of the chain' }) networkId!: number;
  @InstantField() createdAt!: string;
  @InstantField({ nullable: true, description: SUSPENDED }) suspendedAt!: string | null;
}

export class LinkedWalletResponse {
  @UuidField() id!: string;
  @StringField(ADDRESS) address!: string;
  @InstantField() linkedAt!: string;
  @InstantField({ nullable: true, description: SUSPENDED }) suspendedAt!: string | null;
}

export class UnlinkedWalletResponse extends LinkedWalletResponse {
  @InstantField() unlinkedAt!: string;
}

export class WalletBalanceResponse extends WalletResponse {
  @MoneyField({ description: 'on chain' }) usdc!: string;
  @MoneyField({ description: 'on chain, in ETH, rounded down to six decimals' }) eth!: string;
}

export class WalletBalancesResponse {
  @ListField(() => WalletBalanceResponse) wallets!: WalletBalanceResponse[];
}

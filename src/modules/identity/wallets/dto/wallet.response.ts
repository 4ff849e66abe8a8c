import { Count, Flag, Instant, ListOf, MoneyText, Text, Uuid } from '../../../../http/openapi/fields.js';

const ADDRESS = { description: 'checksummed', example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' };

export class WalletChallengeResponse {
  @Text(ADDRESS) address!: string;
  @Flag({ description: 'linked to an account and not suspended' }) registered!: boolean;
  @Text({ description: 'valid for one sign-in or one linking, within 5 minutes' }) nonce!: string;
  @Text({ description: 'EIP-4361; to be signed without changes' }) message!: string;
  @Instant() expiresAt!: string;
}

export const SUSPENDED = 'since when the wallet cannot sign in until it is linked again; null if it can';

export class WalletResponse {
  @Uuid() id!: string;
  @Text(ADDRESS) address!: string;
  @Count({ description: 'id of the chain' }) networkId!: number;
  @Instant() createdAt!: string;
  @Instant({ nullable: true, description: SUSPENDED }) suspendedAt!: string | null;
}

export class LinkedWalletResponse {
  @Uuid() id!: string;
  @Text(ADDRESS) address!: string;
  @Instant() linkedAt!: string;
  @Instant({ nullable: true, description: SUSPENDED }) suspendedAt!: string | null;
}

export class UnlinkedWalletResponse extends LinkedWalletResponse {
  @Instant() unlinkedAt!: string;
}

export class WalletBalanceResponse extends WalletResponse {
  @MoneyText({ description: 'on chain' }) usdc!: string;
  @MoneyText({ description: 'on chain, in ETH, rounded down to six decimals' }) eth!: string;
}

export class WalletBalancesResponse {
  @ListOf(() => WalletBalanceResponse) wallets!: WalletBalanceResponse[];
}

import { Count, Flag, Instant, ListOf, MoneyText, Text, Uuid } from '../../../http/openapi/fields.js';
import { MICRO_SCALE } from '../../../common/money.js';
import type { ChainBalances } from '../../blockchain/chain.js';
import type { Challenge } from '../wallet-challenges.service.js';
import type { UnlinkedWallet, Wallet } from '../wallet-links.service.js';

const ADDRESS = { description: 'checksummed', example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' };

export class WalletChallengeResponse {
  @Text(ADDRESS) address!: string;
  @Flag({ description: 'linked to an account: it can sign in' }) registered!: boolean;
  @Text({ description: 'good for one signature, within 5 minutes' }) nonce!: string;
  @Text({ description: 'EIP-4361, to be signed as it is' }) message!: string;
  @Instant() expiresAt!: string;
}

export function toWalletChallengeResponse(
  challenge: Challenge,
  registered: boolean,
): WalletChallengeResponse {
  return {
    address: challenge.address,
    registered,
    nonce: challenge.nonce,
    message: challenge.message,
    expiresAt: challenge.expiresAt.toISOString(),
  };
}

export const SUSPENDED = 'since when it signs nobody in until it is linked anew, or null';

export class WalletResponse {
  @Uuid() id!: string;
  @Text(ADDRESS) address!: string;
  @Count({ description: 'id of the chain' }) networkId!: number;
  @Instant() createdAt!: string;
  @Instant({ nullable: true, description: SUSPENDED }) suspendedAt!: string | null;
}

export function toWalletResponse(
  { id, address, createdAt, suspendedAt }: Wallet,
  networkId: number,
): WalletResponse {
  return {
    ...{ id, address, networkId },
    createdAt: createdAt.toISOString(),
    suspendedAt: suspendedAt?.toISOString() ?? null,
  };
}

export class LinkedWalletResponse {
  @Uuid() id!: string;
  @Text(ADDRESS) address!: string;
  @Instant() linkedAt!: string;
  @Instant({ nullable: true, description: SUSPENDED }) suspendedAt!: string | null;
}

export function toLinkedWalletResponse({
  id,
  address,
  createdAt,
  suspendedAt,
}: Wallet): LinkedWalletResponse {
  return {
    ...{ id, address },
    linkedAt: createdAt.toISOString(),
    suspendedAt: suspendedAt?.toISOString() ?? null,
  };
}

export class UnlinkedWalletResponse {
  @Uuid() id!: string;
  @Text(ADDRESS) address!: string;
  @Instant() unlinkedAt!: string;
}

export function toUnlinkedWalletResponse({
  id,
  address,
  unlinkedAt,
}: UnlinkedWallet): UnlinkedWalletResponse {
  return { id, address, unlinkedAt: unlinkedAt.toISOString() };
}

export class WalletBalanceResponse extends WalletResponse {
  @MoneyText({ description: 'on chain' }) usdc!: string;
  @MoneyText({ description: 'on chain, in ETH, rounded down to six decimals' }) eth!: string;
}

export class WalletBalancesResponse {
  @ListOf(() => WalletBalanceResponse) wallets!: WalletBalanceResponse[];
}

export function toWalletBalancesResponse(
  held: readonly (Wallet & ChainBalances)[],
  networkId: number,
): WalletBalancesResponse {
  return {
    wallets: held.map((wallet) => ({
      ...toWalletResponse(wallet, networkId),
      usdc: wallet.usdc.toWire(),
      eth: wallet.eth.roundDown(MICRO_SCALE).toWire(),
    })),
  };
}

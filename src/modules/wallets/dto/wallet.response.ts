import { Count, Flag, Instant, ListOf, MoneyText, Text, Uuid } from '../../../http/openapi/fields.js';
import { MICRO_SCALE } from '../../../common/money.js';
import type { ChainBalances } from '../../blockchain/chain.js';
import type { Challenge } from '../wallet-challenges.js';
import type { UnlinkedWallet, Wallet } from '../wallet-links.js';

const ADDRESS = { description: 'checksummed', example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' };

export class WalletChallengeView {
  @Text(ADDRESS) address!: string;
  @Flag({ description: 'linked to an account: it can sign in' }) registered!: boolean;
  @Text({ description: 'good for one signature, within 5 minutes' }) nonce!: string;
  @Text({ description: 'EIP-4361, to be signed as it is' }) message!: string;
  @Instant() expiresAt!: string;
}

export function walletChallengeView(challenge: Challenge, registered: boolean): WalletChallengeView {
  return {
    address: challenge.address,
    registered,
    nonce: challenge.nonce,
    message: challenge.message,
    expiresAt: challenge.expiresAt.toISOString(),
  };
}

export const SUSPENDED = 'since when it signs nobody in until it is linked anew, or null';

export class WalletView {
  @Uuid() id!: string;
  @Text(ADDRESS) address!: string;
  @Count({ description: 'id of the chain' }) networkId!: number;
  @Instant() createdAt!: string;
  @Instant({ nullable: true, description: SUSPENDED }) suspendedAt!: string | null;
}

export function walletView({ id, address, createdAt, suspendedAt }: Wallet, networkId: number): WalletView {
  return {
    ...{ id, address, networkId },
    createdAt: createdAt.toISOString(),
    suspendedAt: suspendedAt?.toISOString() ?? null,
  };
}

export class LinkedWalletView {
  @Uuid() id!: string;
  @Text(ADDRESS) address!: string;
  @Instant() linkedAt!: string;
  @Instant({ nullable: true, description: SUSPENDED }) suspendedAt!: string | null;
}

export function linkedWalletView({ id, address, createdAt, suspendedAt }: Wallet): LinkedWalletView {
  return {
    ...{ id, address },
    linkedAt: createdAt.toISOString(),
    suspendedAt: suspendedAt?.toISOString() ?? null,
  };
}

export class UnlinkedWalletView {
  @Uuid() id!: string;
  @Text(ADDRESS) address!: string;
  @Instant() unlinkedAt!: string;
}

export function unlinkedWalletView({ id, address, unlinkedAt }: UnlinkedWallet): UnlinkedWalletView {
  return { id, address, unlinkedAt: unlinkedAt.toISOString() };
}

export class WalletBalanceView extends WalletView {
  @MoneyText({ description: 'on chain' }) usdc!: string;
  @MoneyText({ description: 'on chain, in ETH, rounded down to six decimals' }) eth!: string;
}

export class WalletBalancesView {
  @ListOf(() => WalletBalanceView) wallets!: WalletBalanceView[];
}

export function walletBalancesView(
  held: readonly (Wallet & ChainBalances)[],
  networkId: number,
): WalletBalancesView {
  return {
    wallets: held.map((wallet) => ({
      ...walletView(wallet, networkId),
      usdc: wallet.usdc.toWire(),
      eth: wallet.eth.roundDown(MICRO_SCALE).toWire(),
    })),
  };
}

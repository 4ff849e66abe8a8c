import type { Address } from 'viem';
import type { ChainBalances } from '../../providers/chain/chain.client.js';
import type { Wallet } from './entities/wallet.entity.js';

export type LinkedWallet = Pick<Wallet, 'id' | 'address' | 'createdAt' | 'suspendedAt'>;

export type LinkedWalletWithBalances = LinkedWallet & ChainBalances;

export interface UnlinkedWallet extends LinkedWallet {
  readonly unlinkedAt: Date;
}

/** The user to whom a wallet that can sign in is linked. */
export interface WalletOwner {
  readonly id: string;
  readonly walletId: string;
}

/** A message that a wallet has to sign. */
export interface Challenge {
  /** Checksummed. */
  readonly address: Address;
  readonly nonce: string;
  readonly message: string;
  readonly expiresAt: Date;
}

/** A challenge that its wallet has signed. It has to be spent in the transaction that acts on it. */
export type Proof = Pick<Challenge, 'address' | 'nonce'>;

export interface SignedMessage {
  readonly message: string;
  readonly signature: string;
}

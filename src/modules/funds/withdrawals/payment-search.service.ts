import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { DomainError, throwError } from '../../../common/errors/domain-error.js';
import { ChainClient, type FoundTransfer } from '../../providers/chain/chain.client.js';
import { isBlockBefore } from '../../providers/chain/domain/chain-check.js';
import { WITHDRAWAL_STATES } from './domain/withdrawal.state-machine.js';
import type { Withdrawal } from './entities/withdrawal.entity.js';
import { WithdrawalPaymentsRepository } from './withdrawal-payments.repository.js';
import type { PaymentSearch, UnclaimedPayment } from './withdrawals.types.js';

export const BLOCKS_PER_REQUEST = 1_000;
/** Bounds one search: a week of blocks of twelve seconds, since a withdrawal may end days after its payment. */
export const MAX_BLOCKS = 50_000;
/** Bounds the wait of the operator; a search that takes longer counts as `unreachable`. */
const MAX_SEARCH_MS = 20_000;
/** Transactions to one address that are looked at in one search, the newest first. */
const MAX_CANDIDATES = 20;

/** Searches the chain for a payment of a withdrawal that is not completed. */
@Injectable()
export class PaymentSearchService {
  constructor(
    private readonly chain: ChainClient,
    private readonly payments: WithdrawalPaymentsRepository,
    private readonly config: AppConfig,
  ) {}

  /** As `WithdrawalPaymentsService.findPaymentSinceRequest`. */
  async findPayment(id: string): Promise<PaymentSearch> {
    const withdrawal = await this.payments.findWithdrawal(id);
    if (!withdrawal || !WITHDRAWAL_STATES.allowedFrom('reject').includes(withdrawal.status))
      return { found: null, searched: withdrawal };
    try {
      return { found: await this.searchBackwards(withdrawal), searched: withdrawal };
    } catch (error) {
      if (error instanceof DomainError && error.code === 'BLOCKCHAIN_ERROR')
        return { found: 'unreachable', searched: withdrawal };
      throw error;
    }
  }

  /** Reads blocks from the newest one back to the block of the request. */
  private async searchBackwards(withdrawal: Withdrawal): Promise<PaymentSearch['found']> {
    const startedMs = performance.now();
    const newest = await this.chain.newestBlock();
    const oldest = Math.max(0, newest - MAX_BLOCKS + 1);
    for (let last = newest; last >= oldest; last -= BLOCKS_PER_REQUEST) {
      if (performance.now() - startedMs > MAX_SEARCH_MS) return 'unreachable';
      const first = Math.max(oldest, last - BLOCKS_PER_REQUEST + 1);
      const transfers = await this.chain.transfersTo([withdrawal.toAddress], first, last);
      const found = await this.findUnclaimed(withdrawal, transfers);
      if (found) return found;
      if (first === 0 || (await this.isBeforeRequest(first, withdrawal))) return null;
    }
    return 'unreachable';
  }

  /**
   * Which transfers to the withdrawal's address may be its payment: with CUSTODY_ADDRESSES those from custody, in any amount, because an
   * operator can pay in parts; otherwise those of exactly the amount. Returns the newest one whose transaction has more of these
   * transfers than other withdrawals have claimed.
   */
  private async findUnclaimed(
    withdrawal: Withdrawal,
    transfers: readonly FoundTransfer[],
  ): Promise<UnclaimedPayment | null> {
    const custody = new Set(this.config.CUSTODY_ADDRESSES.map((address) => address.toLowerCase()));
    const paying = transfers.filter(({ from, amount }) =>
      custody.size === 0 ? amount.equals(withdrawal.amount) : custody.has(from.toLowerCase()),
    );
    const newestOfHash = new Map(paying.map((transfer) => [transfer.hash, transfer]));
    const candidates = [...newestOfHash.values()].reverse().slice(0, MAX_CANDIDATES);
    for (const { hash: txHash, from: sender, amount, blockNumber } of candidates) {
      if (await this.isBeforeRequest(blockNumber, withdrawal)) continue;
      const inTransaction = paying.filter(({ hash }) => hash === txHash).length;
      const claims = await this.payments.countClaims(withdrawal, txHash, custody.size > 0);
      if (inTransaction > claims) return { txHash, sender, amount };
    }
    return null;
  }

  /** Throws BLOCKCHAIN_ERROR also for a block without a time. */
  private async isBeforeRequest(blockNumber: number, { recordedAt }: Withdrawal): Promise<boolean> {
    const minedAt = (await this.chain.blockTime(blockNumber)) ?? throwError('BLOCKCHAIN_ERROR');
    return isBlockBefore(minedAt, recordedAt);
  }
}

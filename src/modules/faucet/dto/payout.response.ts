import {
  Choice,
  Count,
  Instant,
  ListOf,
  MoneyText,
  PaginationField,
  Text,
} from '../../../http/openapi/fields.js';
import { paginate, type Pagination, type Rows } from '../../../http/request/pagination.js';
import { Money } from '../../../common/money.js';
import { explorerUrl } from '../explorers.js';
import { PAYOUT_STATUSES, type Payout } from '../payout.js';
import type { Delivered } from '../payout-delivery.js';
import { nextAllowed } from '../turns.js';

const GWEI_IN_ETH = Money.of('0.000000001');

class FaucetRecordResponse {
  @Text({ description: 'another one as long as it is pending, should its nonce go to somebody else' })
  transactionHash!: string;
  @Text({ description: 'checksummed' }) walletAddress!: string;
  @MoneyText({ description: 'in USDC', example: '1000.00' }) amount!: string;
  @Choice(['USDC']) currency!: string;
  @Choice(PAYOUT_STATUSES, {
    description: 'pending: sent, not mined yet; failed: the chain reverted it, nothing was paid',
  })
  status!: string;
  @Count({ nullable: true, description: 'null while it is pending' }) blockNumber!: number | null;
  @Text({ nullable: true, description: 'null while it is pending', example: '51342' }) gasUsed!:
    string | null;
  @Text({
    nullable: true,
    description: 'in ETH, with all decimals: gas used × its price; null while it is pending',
    example: '0.000051342',
  })
  gasCost!: string | null;
  @Instant({ description: 'when it was asked for' }) timestamp!: string;
  @Text({
    nullable: true,
    description: 'null where the chain has no public explorer',
    example:
      'https://sepolia.etherscan.io/tx/0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060',
  })
  explorerUrl!: string | null;
}

export class FaucetPayoutResponse extends FaucetRecordResponse {
  @Count({ description: 'blocks on top of and with its own; 0 while it is pending' }) confirmations!: number;
  @Instant({ description: '24 hours after this request; now when it failed' }) nextAllowedRequest!: string;
}

export class FaucetHistoryRecordResponse extends FaucetRecordResponse {
  @Text({ nullable: true, description: 'as whoever asked gave it' }) reason!: string | null;
}

export class FaucetHistoryResponse {
  @ListOf(() => FaucetHistoryRecordResponse, { description: 'the newest first' })
  records!: FaucetHistoryRecordResponse[];
  @PaginationField() pagination!: Pagination;
}

function toRecordResponse(payout: Payout, chainId: number): FaucetRecordResponse {
  return {
    transactionHash: payout.txHash,
    walletAddress: payout.walletAddress,
    amount: payout.amount.toWire(),
    currency: 'USDC',
    status: payout.status,
    blockNumber: payout.blockNumber,
    gasUsed: payout.gasUsed,
    gasCost: gasCost(payout),
    timestamp: payout.requestedAt.toISOString(),
    explorerUrl: explorerUrl(chainId, payout.txHash),
  };
}

export function toFaucetPayoutResponse(
  { payout, confirmations }: Delivered,
  chainId: number,
): FaucetPayoutResponse {
  const next = payout.status === 'failed' ? payout.requestedAt : nextAllowed(payout.requestedAt);
  return { ...toRecordResponse(payout, chainId), confirmations, nextAllowedRequest: next.toISOString() };
}

export function toFaucetHistoryResponse(
  { rows, total }: Rows<Payout>,
  { page, limit }: { page: number; limit: number },
  chainId: number,
): FaucetHistoryResponse {
  return {
    records: rows.map((payout) => ({ ...toRecordResponse(payout, chainId), reason: payout.reason })),
    pagination: paginate(page, limit, total),
  };
}

function gasCost({ gasUsed, gasPrice }: Payout): string | null {
  if (gasUsed === null || gasPrice === null) return null;
  return Money.of(gasUsed).times(Money.of(gasPrice)).times(GWEI_IN_ETH).toString();
}

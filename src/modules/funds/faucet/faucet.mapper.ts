import { ETH_SCALE, MICRO_SCALE, Money } from '../../../common/money.js';
import { paginate, type Rows } from '../../../http/request/pagination.js';
import { exactGasFee } from '../../providers/chain/chain.client.js';
import {
  DEFAULT_AMOUNT,
  ETH_THRESHOLDS,
  levelOf,
  MAX_AMOUNT,
  MAX_REQUESTS_PER_ADDRESS,
  MIN_AMOUNT,
  nextAllowed,
  PACE_DAYS,
  PERIOD,
  USDC_THRESHOLDS,
} from './domain/payouts.js';
import {
  FaucetBalanceResponse,
  type FaucetHistoryResponse,
  type FaucetPayoutResponse,
  FaucetRecordResponse,
  FaucetStatusResponse,
} from './dto/faucet.response.js';
import type { FaucetPayout } from './entities/faucet.entity.js';
import type { FaucetBalance, FaucetStatus, PayoutDelivery } from './faucet.types.js';
import type { PageRequest } from '../../../lists/list-page.js';
import { toResponse } from '../../../http/response/to-response.js';

/** Public explorers of the test chains, by chain id. */
const EXPLORERS: Record<number, string> = {
  11_155_111: 'https://sepolia.etherscan.io', // Sepolia
  560_048: 'https://hoodi.etherscan.io', // Hoodi
  84_532: 'https://sepolia.basescan.org', // Base Sepolia
};

function toFaucetRecordResponse(payout: FaucetPayout, chainId: number): FaucetRecordResponse {
  const explorer = EXPLORERS[chainId];
  return toResponse(FaucetRecordResponse, payout, {
    transactionHash: payout.txHash,
    currency: 'USDC',
    gasCost: exactGasFee(payout)?.toString() ?? null,
    timestamp: payout.requestedAt,
    explorerUrl: explorer === undefined ? null : `${explorer}/tx/${payout.txHash}`,
  });
}

export function toFaucetPayoutResponse(
  { payout, confirmations }: PayoutDelivery,
  chainId: number,
): FaucetPayoutResponse {
  const next = payout.status === 'failed' ? payout.requestedAt : nextAllowed(payout.requestedAt);
  return {
    ...toFaucetRecordResponse(payout, chainId),
    confirmations,
    nextAllowedRequest: next.toISOString(),
  };
}

export function toFaucetHistoryResponse(
  { rows, ...count }: Rows<FaucetPayout>,
  request: PageRequest,
  chainId: number,
): FaucetHistoryResponse {
  return {
    records: rows.map((payout) => ({ ...toFaucetRecordResponse(payout, chainId), reason: payout.reason })),
    pagination: paginate(request, count),
  };
}

export function toFaucetStatusResponse(status: FaucetStatus): FaucetStatusResponse {
  const { funds, head, figures, dailyLimit } = status;
  const levels = [levelOf(funds.usdc, USDC_THRESHOLDS), levelOf(funds.eth, ETH_THRESHOLDS)];
  return toResponse(FaucetStatusResponse, status, {
    enabled: true,
    configuration: {
      usdcContractAddress: status.contract,
      defaultAmount: DEFAULT_AMOUNT,
      minAmount: MIN_AMOUNT,
      maxAmount: MAX_AMOUNT,
      rateLimitPeriod: PERIOD,
      maxRequestsPerAddress: MAX_REQUESTS_PER_ADDRESS,
    },
    balance: {
      usdc: funds.usdc,
      eth: funds.eth.roundDown(MICRO_SCALE),
      lowBalanceThreshold: USDC_THRESHOLDS.low,
      needsRefill: levels.some((level) => level !== 'healthy'),
    },
    statistics: figures,
    limits: {
      dailyLimit,
      distributedToday: figures.distributedToday,
      remainingToday: Money.max(dailyLimit.minus(figures.distributedToday), Money.ZERO),
    },
    network: head,
  });
}

export function toFaucetBalanceResponse(balance: FaucetBalance): FaucetBalanceResponse {
  const { usdc, eth } = balance.funds;
  const { refill } = balance;
  const { distributedLately } = balance.figures;
  const paceDays = Money.of(String(PACE_DAYS));
  return toResponse(FaucetBalanceResponse, {
    contractAddress: balance.contract,
    balances: {
      usdc: { balance: usdc, decimals: MICRO_SCALE, symbol: 'USDC' },
      eth: { balance: eth.roundDown(MICRO_SCALE), decimals: ETH_SCALE, symbol: 'ETH' },
    },
    thresholds: {
      usdc: { ...USDC_THRESHOLDS, status: levelOf(usdc, USDC_THRESHOLDS) },
      eth: { ...ETH_THRESHOLDS, status: levelOf(eth, ETH_THRESHOLDS) },
    },
    lastRefill: { usdc: refill && { ...refill, timestamp: refill.at } },
    estimatedRemaining: {
      requests: wholeQuotient(usdc, DEFAULT_AMOUNT),
      days: distributedLately.isZero() ? null : wholeQuotient(usdc.times(paceDays), distributedLately),
    },
  });
}

function wholeQuotient(dividend: Money, divisor: Money): number {
  return Number(dividend.dividedBy(divisor).roundDown(0).toString());
}

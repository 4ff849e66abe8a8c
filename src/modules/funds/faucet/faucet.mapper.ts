import { ETH_SCALE, MICRO_SCALE, Money } from '../../../common/money.js';
import { paginate, type Rows } from '../../../http/request/pagination.js';
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
  type Thresholds,
} from './domain/faucet-limits.js';
import type {
  FaucetBalanceResponse,
  FaucetHistoryResponse,
  FaucetPayoutResponse,
  FaucetRecordResponse,
  FaucetStatusResponse,
} from './dto/faucet.response.js';
import type { FaucetPayout } from './entities/faucet-payout.entity.js';
import type { FaucetBalance, FaucetStatus, PayoutDelivery } from './faucet.types.js';
import type { PageRequest } from '../../../lists/list-page.js';

const GWEI_IN_ETH = Money.of('0.000000001');

/** Public explorers of the test chains, by chain id. */
const EXPLORERS: Record<number, string> = {
  11_155_111: 'https://sepolia.etherscan.io', // Sepolia
  560_048: 'https://hoodi.etherscan.io', // Hoodi
  84_532: 'https://sepolia.basescan.org', // Base Sepolia
};

function toFaucetRecordResponse(payout: FaucetPayout, chainId: number): FaucetRecordResponse {
  const explorer = EXPLORERS[chainId];
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
    explorerUrl: explorer === undefined ? null : `${explorer}/tx/${payout.txHash}`,
  };
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
  return {
    enabled: true,
    environment: status.environment,
    configuration: {
      usdcContractAddress: status.contract,
      defaultAmount: DEFAULT_AMOUNT.toWire(),
      minAmount: MIN_AMOUNT.toWire(),
      maxAmount: MAX_AMOUNT.toWire(),
      rateLimitPeriod: PERIOD,
      maxRequestsPerAddress: MAX_REQUESTS_PER_ADDRESS,
    },
    balance: {
      usdc: funds.usdc.toWire(),
      eth: ethText(funds.eth),
      lowBalanceThreshold: USDC_THRESHOLDS.low.toWire(),
      needsRefill: levels.some((level) => level !== 'healthy'),
    },
    statistics: {
      totalDistributed: figures.totalDistributed.toWire(),
      totalRequests: figures.totalRequests,
      uniqueAddresses: figures.uniqueAddresses,
      lastDistribution: figures.lastDistribution?.toISOString() ?? null,
      averageRequestAmount: figures.averageRequestAmount.toWire(),
    },
    limits: {
      dailyLimit: dailyLimit.toWire(),
      distributedToday: figures.distributedToday.toWire(),
      remainingToday: Money.max(dailyLimit.minus(figures.distributedToday), Money.ZERO).toWire(),
    },
    network: { chainId: head.chainId, blockNumber: head.blockNumber, gasPrice: head.gasPrice },
  };
}

export function toFaucetBalanceResponse(balance: FaucetBalance): FaucetBalanceResponse {
  const { usdc, eth } = balance.funds;
  const { refill } = balance;
  const { distributedLately } = balance.figures;
  const paceDays = Money.of(String(PACE_DAYS));
  return {
    contractAddress: balance.contract,
    balances: {
      usdc: { balance: usdc.toWire(), decimals: MICRO_SCALE, symbol: 'USDC' },
      eth: { balance: ethText(eth), decimals: ETH_SCALE, symbol: 'ETH' },
    },
    thresholds: {
      usdc: toThresholdResponse(usdc, USDC_THRESHOLDS),
      eth: toThresholdResponse(eth, ETH_THRESHOLDS),
    },
    lastRefill: {
      usdc: refill && {
        amount: refill.amount.toWire(),
        timestamp: refill.at.toISOString(),
        txHash: refill.txHash,
      },
    },
    estimatedRemaining: {
      requests: wholeQuotient(usdc, DEFAULT_AMOUNT),
      days: distributedLately.isZero() ? null : wholeQuotient(usdc.times(paceDays), distributedLately),
    },
  };
}

function toThresholdResponse(
  balance: Money,
  thresholds: Thresholds,
): FaucetBalanceResponse['thresholds']['usdc'] {
  return {
    low: thresholds.low.toWire(),
    critical: thresholds.critical.toWire(),
    status: levelOf(balance, thresholds),
  };
}

function gasCost({ gasUsed, gasPrice }: FaucetPayout): string | null {
  if (gasUsed === null || gasPrice === null) return null;
  return Money.of(gasUsed).times(Money.of(gasPrice)).times(GWEI_IN_ETH).toString();
}

function ethText(eth: Money): string {
  return eth.roundDown(MICRO_SCALE).toWire();
}

function wholeQuotient(dividend: Money, divisor: Money): number {
  return Number(dividend.dividedBy(divisor).roundDown(0).toString());
}

import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { Clock } from '../../common/clock.js';
import { ETH_SCALE, MICRO_SCALE, Money } from '../../common/money.js';
import { ChainClient } from '../blockchain/chain.client.js';
import { FaucetAccount, type Refill } from './faucet-account.js';
import type { FaucetBalanceResponse, FaucetStatusResponse } from './dto/faucet-state.response.js';
import type { FaucetHistoryQuery } from './dto/faucet.request.js';
import { FaucetQueries, PACE_DAYS, type FaucetFigures } from './faucet.queries.js';
import {
  DEFAULT_AMOUNT,
  ETH_THRESHOLDS,
  levelOf,
  MAX_AMOUNT,
  MAX_REQUESTS_PER_ADDRESS,
  MIN_AMOUNT,
  PERIOD,
  USDC_THRESHOLDS,
  type Thresholds,
} from './faucet.terms.js';
import { toFaucetHistoryResponse, type FaucetHistoryResponse } from './dto/payout.response.js';

const DAYS = Money.of(String(PACE_DAYS));

/** What the faucet shows of itself: what the chain and its own records say, now. */
@Injectable()
export class FaucetStateService {
  constructor(
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly chain: ChainClient,
    private readonly account: FaucetAccount,
    private readonly queries: FaucetQueries,
  ) {}

  /** Throws BLOCKCHAIN_ERROR. */
  async status(): Promise<FaucetStatusResponse> {
    const [{ usdc, eth }, { chainId, blockNumber, gasPrice }] = await Promise.all([
      this.account.funds(),
      this.chain.head(),
    ]);
    const figures = await this.queries.figures(this.clock.today());
    const levels = [levelOf(usdc, USDC_THRESHOLDS), levelOf(eth, ETH_THRESHOLDS)];
    return {
      enabled: true,
      environment: this.config.NODE_ENV,
      configuration: {
        usdcContractAddress: this.account.contract,
        defaultAmount: DEFAULT_AMOUNT.toWire(),
        minAmount: MIN_AMOUNT.toWire(),
        maxAmount: MAX_AMOUNT.toWire(),
        rateLimitPeriod: PERIOD,
        maxRequestsPerAddress: MAX_REQUESTS_PER_ADDRESS,
      },
      balance: {
        usdc: usdc.toWire(),
        eth: shownEth(eth),
        lowBalanceThreshold: USDC_THRESHOLDS.low.toWire(),
        needsRefill: levels.some((level) => level !== 'healthy'),
      },
      statistics: statisticsOf(figures),
      limits: this.limitsOf(figures),
      network: { chainId, blockNumber, gasPrice },
    };
  }

  /** Throws BLOCKCHAIN_ERROR. */
  async balance(): Promise<FaucetBalanceResponse> {
    const [{ usdc, eth }, refill] = await Promise.all([this.account.funds(), this.account.lastRefill()]);
    const { distributedLately } = await this.queries.figures(this.clock.today());
    return {
      contractAddress: this.account.contract,
      balances: {
        usdc: { balance: usdc.toWire(), decimals: MICRO_SCALE, symbol: 'USDC' },
        eth: { balance: shownEth(eth), decimals: ETH_SCALE, symbol: 'ETH' },
      },
      thresholds: { usdc: thresholdOf(usdc, USDC_THRESHOLDS), eth: thresholdOf(eth, ETH_THRESHOLDS) },
      lastRefill: { usdc: refill && refillOf(refill) },
      estimatedRemaining: {
        requests: wholeTimes(usdc, DEFAULT_AMOUNT),
        days: distributedLately.isZero() ? null : wholeTimes(usdc.times(DAYS), distributedLately),
      },
    };
  }

  async history(query: FaucetHistoryQuery): Promise<FaucetHistoryResponse> {
    return toFaucetHistoryResponse(await this.queries.history(query), query, this.config.CHAIN_ID);
  }

  private limitsOf({ distributedToday }: FaucetFigures): FaucetStatusResponse['limits'] {
    const limit = this.config.FAUCET_DAILY_LIMIT;
    return {
      dailyLimit: limit.toWire(),
      distributedToday: distributedToday.toWire(),
      remainingToday: Money.max(limit.minus(distributedToday), Money.ZERO).toWire(),
    };
  }
}

function statisticsOf(figures: FaucetFigures): FaucetStatusResponse['statistics'] {
  return {
    totalDistributed: figures.totalDistributed.toWire(),
    totalRequests: figures.totalRequests,
    uniqueAddresses: figures.uniqueAddresses,
    lastDistribution: figures.lastDistribution?.toISOString() ?? null,
    averageRequestAmount: figures.averageRequestAmount.toWire(),
  };
}

function thresholdOf(held: Money, thresholds: Thresholds): FaucetBalanceResponse['thresholds']['usdc'] {
  return {
    low: thresholds.low.toWire(),
    critical: thresholds.critical.toWire(),
    status: levelOf(held, thresholds),
  };
}

function refillOf({ amount, at, txHash }: Refill): NonNullable<FaucetBalanceResponse['lastRefill']['usdc']> {
  return { amount: amount.toWire(), timestamp: at.toISOString(), txHash };
}

function shownEth(eth: Money): string {
  return eth.roundDown(MICRO_SCALE).toWire();
}

/** How many times one goes into the other. */
function wholeTimes(whole: Money, part: Money): number {
  return Number(whole.dividedBy(part).roundDown(0).toString());
}

import { Choice, Count, Flag, Instant, MoneyText, Nested, Text } from '../../../http/openapi/fields.js';
import { LEVELS } from '../faucet.terms.js';

class FaucetConfigurationResponse {
  @Text({ description: 'checksummed' }) usdcContractAddress!: string;
  @MoneyText({ example: '1000.00' }) defaultAmount!: string;
  @MoneyText({ example: '100.00' }) minAmount!: string;
  @MoneyText({ example: '10000.00' }) maxAmount!: string;
  @Choice(['24h']) rateLimitPeriod!: string;
  @Count({ description: 'in that period' }) maxRequestsPerAddress!: number;
}

class FaucetFundsResponse {
  @MoneyText({ description: 'on chain' }) usdc!: string;
  @MoneyText({ description: 'on chain, for gas; rounded down to six decimals' }) eth!: string;
  @MoneyText({ description: 'in USDC' }) lowBalanceThreshold!: string;
  @Flag({ description: 'USDC or ETH is below its threshold' }) needsRefill!: boolean;
}

class FaucetStatisticsResponse {
  @MoneyText({ description: 'in USDC, of all payouts that are completed' }) totalDistributed!: string;
  @Count({ description: 'payouts that are completed or under way' }) totalRequests!: number;
  @Count({ description: 'of those payouts' }) uniqueAddresses!: number;
  @Instant({ nullable: true, description: 'when the last completed payout was asked for' })
  lastDistribution!: string | null;
  @MoneyText({ description: 'in USDC, of payouts that are completed or under way; 0.00 without any' })
  averageRequestAmount!: string;
}

class FaucetLimitsResponse {
  @MoneyText({ description: 'in USDC, of all addresses together' }) dailyLimit!: string;
  @MoneyText({ description: 'since midnight UTC, with what is under way' }) distributedToday!: string;
  @MoneyText({ description: 'dailyLimit − distributedToday, never below zero' }) remainingToday!: string;
}

class FaucetNetworkResponse {
  @Count() chainId!: number;
  @Count({ description: 'of the newest block' }) blockNumber!: number;
  @Text({ description: 'in gwei', example: '12.5' }) gasPrice!: string;
}

export class FaucetStatusResponse {
  @Flag() enabled!: boolean;
  @Choice(['development', 'test']) environment!: string;
  @Nested(() => FaucetConfigurationResponse) configuration!: FaucetConfigurationResponse;
  @Nested(() => FaucetFundsResponse) balance!: FaucetFundsResponse;
  @Nested(() => FaucetStatisticsResponse) statistics!: FaucetStatisticsResponse;
  @Nested(() => FaucetLimitsResponse) limits!: FaucetLimitsResponse;
  @Nested(() => FaucetNetworkResponse) network!: FaucetNetworkResponse;
}

class AssetBalanceResponse {
  @MoneyText({ description: 'on chain; rounded down to six decimals' }) balance!: string;
  @Count({ description: 'that the asset has on chain', example: 6 }) decimals!: number;
  @Choice(['USDC', 'ETH']) symbol!: string;
}

class FaucetBalancesResponse {
  @Nested(() => AssetBalanceResponse) usdc!: AssetBalanceResponse;
  @Nested(() => AssetBalanceResponse) eth!: AssetBalanceResponse;
}

class AssetThresholdResponse {
  @MoneyText({ description: 'a balance below it is low' }) low!: string;
  @MoneyText({ description: 'a balance below it is critical' }) critical!: string;
  @Choice(LEVELS) status!: string;
}

class FaucetThresholdsResponse {
  @Nested(() => AssetThresholdResponse) usdc!: AssetThresholdResponse;
  @Nested(() => AssetThresholdResponse) eth!: AssetThresholdResponse;
}

class RefillResponse {
  @MoneyText() amount!: string;
  @Instant({ description: 'of its block' }) timestamp!: string;
  @Text() txHash!: string;
}

class LastRefillResponse {
  @Nested(() => RefillResponse, {
    nullable: true,
    description: 'the newest transfer to the faucet in the last 10,000 blocks; null when there is none',
  })
  usdc!: RefillResponse | null;
}

class EstimatedRemainingResponse {
  @Count({ description: 'requests of the default amount that the USDC held is enough for' })
  requests!: number;
  @Count({
    nullable: true,
    description:
      'whole days that the USDC held lasts at the pace of the last 7 days; null when nothing was paid',
  })
  days!: number | null;
}

export class FaucetBalanceResponse {
  @Text({ description: 'of USDC; checksummed' }) contractAddress!: string;
  @Nested(() => FaucetBalancesResponse) balances!: FaucetBalancesResponse;
  @Nested(() => FaucetThresholdsResponse) thresholds!: FaucetThresholdsResponse;
  @Nested(() => LastRefillResponse) lastRefill!: LastRefillResponse;
  @Nested(() => EstimatedRemainingResponse) estimatedRemaining!: EstimatedRemainingResponse;
}

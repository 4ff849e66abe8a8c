import { Choice, Count, Flag, Instant, MoneyText, Nested, Text } from '../../../http/openapi/fields.js';
import { LEVELS } from '../faucet.terms.js';

class FaucetConfigurationView {
  @Text({ description: 'checksummed' }) usdcContractAddress!: string;
  @MoneyText({ example: '1000.00' }) defaultAmount!: string;
  @MoneyText({ example: '100.00' }) minAmount!: string;
  @MoneyText({ example: '10000.00' }) maxAmount!: string;
  @Choice(['24h']) rateLimitPeriod!: string;
  @Count({ description: 'in that period' }) maxRequestsPerAddress!: number;
}

class FaucetFundsView {
  @MoneyText({ description: 'on chain' }) usdc!: string;
  @MoneyText({ description: 'on chain, for gas; rounded down to six decimals' }) eth!: string;
  @MoneyText({ description: 'in USDC' }) lowBalanceThreshold!: string;
  @Flag({ description: 'USDC or ETH is below its threshold' }) needsRefill!: boolean;
}

class FaucetStatisticsView {
  @MoneyText({ description: 'in USDC, of all payouts that are completed' }) totalDistributed!: string;
  @Count({ description: 'payouts that are completed or under way' }) totalRequests!: number;
  @Count({ description: 'of those payouts' }) uniqueAddresses!: number;
  @Instant({ nullable: true, description: 'when the last completed payout was asked for' })
  lastDistribution!: string | null;
  @MoneyText({ description: 'in USDC, of payouts that are completed or under way; 0.00 without any' })
  averageRequestAmount!: string;
}

class FaucetLimitsView {
  @MoneyText({ description: 'in USDC, of all addresses together' }) dailyLimit!: string;
  @MoneyText({ description: 'since midnight UTC, with what is under way' }) distributedToday!: string;
  @MoneyText({ description: 'dailyLimit − distributedToday, never below zero' }) remainingToday!: string;
}

class FaucetNetworkView {
  @Count() chainId!: number;
  @Count({ description: 'of the newest block' }) blockNumber!: number;
  @Text({ description: 'in gwei', example: '12.5' }) gasPrice!: string;
}

export class FaucetStatusView {
  @Flag() enabled!: boolean;
  @Choice(['development', 'test']) environment!: string;
  @Nested(() => FaucetConfigurationView) configuration!: FaucetConfigurationView;
  @Nested(() => FaucetFundsView) balance!: FaucetFundsView;
  @Nested(() => FaucetStatisticsView) statistics!: FaucetStatisticsView;
  @Nested(() => FaucetLimitsView) limits!: FaucetLimitsView;
  @Nested(() => FaucetNetworkView) network!: FaucetNetworkView;
}

class AssetBalanceView {
  @MoneyText({ description: 'on chain; rounded down to six decimals' }) balance!: string;
  @Count({ description: 'that the asset has on chain', example: 6 }) decimals!: number;
  @Choice(['USDC', 'ETH']) symbol!: string;
}

class FaucetBalancesView {
  @Nested(() => AssetBalanceView) usdc!: AssetBalanceView;
  @Nested(() => AssetBalanceView) eth!: AssetBalanceView;
}

class AssetThresholdView {
  @MoneyText({ description: 'a balance below it is low' }) low!: string;
  @MoneyText({ description: 'a balance below it is critical' }) critical!: string;
  @Choice(LEVELS) status!: string;
}

class FaucetThresholdsView {
  @Nested(() => AssetThresholdView) usdc!: AssetThresholdView;
  @Nested(() => AssetThresholdView) eth!: AssetThresholdView;
}

class RefillView {
  @MoneyText() amount!: string;
  @Instant({ description: 'of its block' }) timestamp!: string;
  @Text() txHash!: string;
}

class LastRefillView {
  @Nested(() => RefillView, {
    nullable: true,
    description: 'the newest transfer to the faucet in the last 10,000 blocks; null when there is none',
  })
  usdc!: RefillView | null;
}

class EstimatedRemainingView {
  @Count({ description: 'requests of the default amount that the USDC held is enough for' })
  requests!: number;
  @Count({
    nullable: true,
    description:
      'whole days that the USDC held lasts at the pace of the last 7 days; null when nothing was paid',
  })
  days!: number | null;
}

export class FaucetBalanceView {
  @Text({ description: 'of USDC; checksummed' }) contractAddress!: string;
  @Nested(() => FaucetBalancesView) balances!: FaucetBalancesView;
  @Nested(() => FaucetThresholdsView) thresholds!: FaucetThresholdsView;
  @Nested(() => LastRefillView) lastRefill!: LastRefillView;
  @Nested(() => EstimatedRemainingView) estimatedRemaining!: EstimatedRemainingView;
}

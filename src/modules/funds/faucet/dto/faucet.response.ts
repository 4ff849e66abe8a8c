import {
  Choice,
  Count,
  Flag,
  Instant,
  ListOf,
  MoneyText,
  Nested,
  PaginationField,
  Text,
} from '../../../../http/openapi/fields.js';
import type { Pagination } from '../../../../http/request/pagination.js';
import { LEVELS } from '../domain/faucet-limits.js';
import { PAYOUT_STATUSES } from '../entities/faucet-payout.entity.js';

export class FaucetRecordResponse {
  @Text({ description: 'changes while the payout is pending if another transaction uses its nonce' })
  transactionHash!: string;
  @Text({ description: 'checksummed' }) walletAddress!: string;
  @MoneyText({ description: 'in USDC', example: '1000.00' }) amount!: string;
  @Choice(['USDC']) currency!: string;
  @Choice(PAYOUT_STATUSES, {
    description: 'pending: sent and not mined yet; failed: reverted by the chain, nothing was paid',
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
  @Instant({ description: 'time of the request' }) timestamp!: string;
  @Text({
    nullable: true,
    description: 'null if the chain has no public explorer',
    example:
      'https://sepolia.etherscan.io/tx/0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060',
  })
  explorerUrl!: string | null;
}

export class FaucetPayoutResponse extends FaucetRecordResponse {
  @Count({ description: 'number of blocks from its own to the newest, both included; 0 while it is pending' })
  confirmations!: number;
  @Instant({ description: '24 hours after this request; the time of the request if it failed' })
  nextAllowedRequest!: string;
}

export class FaucetHistoryRecordResponse extends FaucetRecordResponse {
  @Text({ nullable: true, description: 'purpose that the request stated' }) reason!: string | null;
}

export class FaucetHistoryResponse {
  @ListOf(() => FaucetHistoryRecordResponse, { description: 'the newest first' })
  records!: FaucetHistoryRecordResponse[];
  @PaginationField() pagination!: Pagination;
}

class FaucetConfigurationResponse {
  @Text({ description: 'checksummed' }) usdcContractAddress!: string;
  @MoneyText({ example: '1000.00', description: 'in USDC, of a request without an amount' })
  defaultAmount!: string;
  @MoneyText({ example: '100.00', description: 'smallest amount of a request, in USDC' }) minAmount!: string;
  @MoneyText({ example: '10000.00', description: 'largest amount of a request, in USDC' }) maxAmount!: string;
  @Choice(['24h']) rateLimitPeriod!: string;
  @Count({ description: 'requests of one address in rateLimitPeriod' }) maxRequestsPerAddress!: number;
}

class FaucetFundsResponse {
  @MoneyText({ description: 'on chain' }) usdc!: string;
  @MoneyText({ description: 'on chain, for gas; rounded down to six decimals' }) eth!: string;
  @MoneyText({ description: 'in USDC' }) lowBalanceThreshold!: string;
  @Flag({ description: 'USDC or ETH is below its threshold' }) needsRefill!: boolean;
}

class FaucetStatisticsResponse {
  @MoneyText({ description: 'in USDC, of completed payouts' }) totalDistributed!: string;
  @Count({ description: 'completed and pending payouts' }) totalRequests!: number;
  @Count({ description: 'different addresses of the payouts in totalRequests' }) uniqueAddresses!: number;
  @Instant({ nullable: true, description: 'time of the request of the last completed payout' })
  lastDistribution!: string | null;
  @MoneyText({ description: 'in USDC, of completed and pending payouts; 0.00 without payouts' })
  averageRequestAmount!: string;
}

class FaucetLimitsResponse {
  @MoneyText({ description: 'in USDC, of all addresses together' }) dailyLimit!: string;
  @MoneyText({ description: 'since midnight UTC, including pending payouts' }) distributedToday!: string;
  @MoneyText({ description: 'dailyLimit − distributedToday, never below zero' }) remainingToday!: string;
}

class FaucetNetworkResponse {
  @Count({ description: 'id of the chain' }) chainId!: number;
  @Count({ description: 'of the newest block' }) blockNumber!: number;
  @Text({ nullable: true, description: 'in gwei; null if the node does not say', example: '12.5' })
  gasPrice!: string | null;
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
  @Count({ description: 'of the asset on chain', example: 6 }) decimals!: number;
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
  @MoneyText({ description: 'received by the wallet of the faucet, in USDC' }) amount!: string;
  @Instant({ description: 'of its block' }) timestamp!: string;
  @Text() txHash!: string;
}

class LastRefillResponse {
  @Nested(() => RefillResponse, {
    nullable: true,
    description: 'the newest transfer to the faucet in the last 10,000 blocks; null if there is none',
  })
  usdc!: RefillResponse | null;
}

class EstimatedRemainingResponse {
  @Count({ description: 'number of requests of the default amount that the USDC balance covers' })
  requests!: number;
  @Count({
    nullable: true,
    description:
      'whole days that the USDC balance lasts at the pace of the last 7 days; null without payouts in that time',
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

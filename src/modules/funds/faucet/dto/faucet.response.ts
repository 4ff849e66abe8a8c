import {
  EnumField,
  IntegerField,
  BooleanField,
  InstantField,
  ListField,
  MoneyField,
  NestedField,
  PaginationField,
  StringField,
} from '../../../../http/openapi/fields.js';
import type { Pagination } from '../../../../http/request/pagination.js';
import { LEVELS } from '../domain/payouts.js';
import { PAYOUT_STATUSES } from '../entities/faucet.entity.js';

export class FaucetRecordResponse {
  @StringField({ description: 'changes while the payout is pending if another transaction uses its nonce' })
  transactionHash!: string;
  @StringField({ description: 'checksummed' }) walletAddress!: string;
  @MoneyField({ description: 'in USDC', example: '1000.00' }) amount!: string;
  @EnumField(['USDC']) currency!: string;
  @EnumField(PAYOUT_STATUSES, {
    description: 'pending: sent and not mined yet; failed: reverted by the chain, nothing was paid',
  })
  status!: string;
  @IntegerField({ nullable: true, description: 'null while it is pending' }) blockNumber!: number | null;
  @StringField({ nullable: true, description: 'null while it is pending', example: '51342' }) gasUsed!:
    string | null;
  @StringField({
    nullable: true,
    description: 'in ETH, with all decimals: gas used × its price; null while it is pending',
    example: '0.000051342',
  })
  gasCost!: string | null;
  @InstantField({ description: 'time of the request' }) timestamp!: string;
  @StringField({
    nullable: true,
    description: 'null if the chain has no public explorer',
    example:
      'https://sepolia.etherscan.io/tx/0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060',
  })
  explorerUrl!: string | null;
}

export class FaucetPayoutResponse extends FaucetRecordResponse {
  @IntegerField({
    description: 'number of blocks from its own to the newest, both included; 0 while it is pending',
  })
  confirmations!: number;
  @InstantField({ description: '24 hours after this request; the time of the request if it failed' })
  nextAllowedRequest!: string;
}

export class FaucetHistoryRecordResponse extends FaucetRecordResponse {
  @StringField({ nullable: true, description: 'purpose that the request stated' }) reason!: string | null;
}

export class FaucetHistoryResponse {
  @ListField(() => FaucetHistoryRecordResponse, { description: 'the newest first' })
  records!: FaucetHistoryRecordResponse[];
  @PaginationField() pagination!: Pagination;
}

class FaucetConfigurationResponse {
  @StringField({ description: 'checksummed' }) usdcContractAddress!: string;
  @MoneyField({ example: '1000.00', description: 'in USDC, of a request without an amount' })
  defaultAmount!: string;
  @MoneyField({ example: '100.00', description: 'smallest amount of a request, in USDC' }) minAmount!: string;
  @MoneyField({ example: '10000.00', description: 'largest amount of a request, in USDC' })
  maxAmount!: string;
  @EnumField(['24h']) rateLimitPeriod!: string;
  @IntegerField({ description: 'requests of one address in rateLimitPeriod' }) maxRequestsPerAddress!: number;
}

class FaucetFundsResponse {
  @MoneyField({ description: 'on chain' }) usdc!: string;
  @MoneyField({ description: 'on chain, for gas; rounded down to six decimals' }) eth!: string;
  @MoneyField({ description: 'in USDC' }) lowBalanceThreshold!: string;
  @BooleanField({ description: 'USDC or ETH is below its threshold' }) needsRefill!: boolean;
}

class FaucetStatisticsResponse {
  @MoneyField({ description: 'in USDC, of completed payouts' }) totalDistributed!: string;
  @IntegerField({ description: 'completed and pending payouts' }) totalRequests!: number;
  @IntegerField({ description: 'different addresses of the payouts in totalRequests' })
  uniqueAddresses!: number;
  @InstantField({ nullable: true, description: 'time of the request of the last completed payout' })
  lastDistribution!: string | null;
  @MoneyField({ description: 'in USDC, of completed and pending payouts; 0.00 without payouts' })
  averageRequestAmount!: string;
}

class FaucetLimitsResponse {
  @MoneyField({ description: 'in USDC, of all addresses together' }) dailyLimit!: string;
  @MoneyField({ description: 'since midnight UTC, including pending payouts' }) distributedToday!: string;
  @MoneyField({ description: 'dailyLimit − distributedToday, never below zero' }) remainingToday!: string;
}

class FaucetNetworkResponse {
  @IntegerField({ description: 'id of the chain' }) chainId!: number;
  @IntegerField({ description: 'of the newest block' }) blockNumber!: number;
  @StringField({ nullable: true, description: 'in gwei; null if the node does not say', example: '12.5' })
  gasPrice!: string | null;
}

export class FaucetStatusResponse {
  @BooleanField() enabled!: boolean;
  @EnumField(['development', 'test']) environment!: string;
  @NestedField(() => FaucetConfigurationResponse) configuration!: FaucetConfigurationResponse;
  @NestedField(() => FaucetFundsResponse) balance!: FaucetFundsResponse;
  @NestedField(() => FaucetStatisticsResponse) statistics!: FaucetStatisticsResponse;
  @NestedField(() => FaucetLimitsResponse) limits!: FaucetLimitsResponse;
  @NestedField(() => FaucetNetworkResponse) network!: FaucetNetworkResponse;
}

class AssetBalanceResponse {
  @MoneyField({ description: 'on chain; rounded down to six decimals' }) balance!: string;
  @IntegerField({ description: 'of the asset on chain', example: 6 }) decimals!: number;
  @EnumField(['USDC', 'ETH']) symbol!: string;
}

class FaucetBalancesResponse {
  @NestedField(() => AssetBalanceResponse) usdc!: AssetBalanceResponse;
  @NestedField(() => AssetBalanceResponse) eth!: AssetBalanceResponse;
}

class AssetThresholdResponse {
  @MoneyField({ description: 'a balance below it is low' }) low!: string;
  @MoneyField({ description: 'a balance below it is critical' }) critical!: string;
  @EnumField(LEVELS) status!: string;
}

class FaucetThresholdsResponse {
  @NestedField(() => AssetThresholdResponse) usdc!: AssetThresholdResponse;
  @NestedField(() => AssetThresholdResponse) eth!: AssetThresholdResponse;
}

class RefillResponse {
  @MoneyField({ description: 'received by the wallet of the faucet, in USDC' }) amount!: string;
  @InstantField({ description: 'of its block' }) timestamp!: string;
  @StringField() txHash!: string;
}

class LastRefillResponse {
  @NestedField(() => RefillResponse, {
    nullable: true,
    description: 'the newest transfer to the faucet in the last 10,000 blocks; null if there is none',
  })
  usdc!: RefillResponse | null;
}

class EstimatedRemainingResponse {
  @IntegerField({ description: 'number of requests of the default amount that the USDC balance covers' })
  requests!: number;
  @IntegerField({
    nullable: true,
    description:
      'whole days that the USDC balance lasts at the pace of the last 7 days; null without payouts in that time',
  })
  days!: number | null;
}

export class FaucetBalanceResponse {
  @StringField({ description: 'of USDC; checksummed' }) contractAddress!: string;
  @NestedField(() => FaucetBalancesResponse) balances!: FaucetBalancesResponse;
  @NestedField(() => FaucetThresholdsResponse) thresholds!: FaucetThresholdsResponse;
  @NestedField(() => LastRefillResponse) lastRefill!: LastRefillResponse;
  @NestedField(() => EstimatedRemainingResponse) estimatedRemaining!: EstimatedRemainingResponse;
}

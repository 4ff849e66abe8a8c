import type { AppConfig } from '../../../config/app-config.js';
import { Choice, Count, Instant, MoneyText, Nested, Text, Uuid } from '../../../http/openapi/fields.js';
import { MICRO_SCALE } from '../../../common/money.js';
import { gasFee } from '../../blockchain/mined.js';
import { HOLD_REASONS, type Deposit } from '../entities/deposit.entity.js';
import { DEPOSIT_STATUSES } from '../domain/deposit.state-machine.js';
import { nextStepOf, reasonOf } from '../deposit.words.js';
import { BLOCK_SECONDS, chainIdOf, contractOf, DEPOSIT_CURRENCIES, NETWORKS } from '../networks.js';

export class DepositMetadataResponse {
  @Text() depositAddress!: string;
  @Text({ nullable: true, description: 'Always null: the provider keeps the keys.' }) derivationPath!:
    string | null;
  @Text({ nullable: true, description: 'Contract of the token; null for ETH.' }) contractAddress!:
    string | null;
  @Instant({ nullable: true, description: 'Null once nothing more is waited for.' })
  estimatedCompletionTime!: string | null;
  @Text({ nullable: true, description: 'Why it is not credited; null once it is.' }) reason!: string | null;
  @Text({ nullable: true, description: 'What is to be done; null once it is credited.' }) nextStep!:
    string | null;
  @Choice(HOLD_REASONS, {
    nullable: true,
    description:
      'BELOW_MINIMUM: it has arrived and waits for more. BOOKED_BY_HAND: admins had credited it before.',
  })
  holdReason!: string | null;
}

export class DepositResponse {
  @Uuid() id!: string;
  @Uuid() userId!: string;
  @MoneyText({ description: 'As received; at most six decimals are shown.' }) amount!: string;
  @Choice(DEPOSIT_CURRENCIES) currency!: string;
  @Choice(DEPOSIT_STATUSES) status!: string;
  @Text({ nullable: true }) fromAddress!: string | null;
  @Text() toAddress!: string;
  @Text() txHash!: string;
  @Count({ nullable: true }) blockNumber!: number | null;
  @Count() confirmations!: number;
  @Count({ example: 12 }) requiredConfirmations!: number;
  @Choice(NETWORKS) network!: string;
  @Count() chainId!: number;
  @Text({ nullable: true, description: 'Units of gas.', example: '51234' }) gasUsed!: string | null;
  @MoneyText({ nullable: true, description: 'In ETH, paid by the sender.', example: '0.000051' }) gasFee!:
    string | null;
  @Instant() createdAt!: string;
  @Instant({ nullable: true }) confirmedAt!: string | null;
  @Nested(() => DepositMetadataResponse) metadata!: DepositMetadataResponse;
}

export class DepositSummaryResponse {
  @MoneyText({ description: 'totalCompleted and totalPending together; failed deposits do not count.' })
  totalDeposited!: string;
  @MoneyText({ description: 'Credited.' }) totalCompleted!: string;
  @MoneyText({
    description:
      'Pending, confirming or held, without what was booked by hand before and without claims that the chain does not show.',
  })
  totalPending!: string;
  @Choice(DEPOSIT_CURRENCIES, {
    description:
      'The currency of the filter. Without one USDC: what USDC and USDT are credited as, without ETH.',
  })
  currency!: string;
}

export class DepositClaimResponse {
  @Uuid() id!: string;
  @Uuid() userId!: string;
  @MoneyText() amount!: string;
  @Choice(['USDC', 'ETH']) currency!: string;
  @Choice(['pending']) status!: string;
  @Text() fromAddress!: string;
  @Text() toAddress!: string;
  @Text() txHash!: string;
  @Count({ nullable: true }) blockNumber!: number | null;
  @Count({ example: 0 }) confirmations!: number;
  @Count({ example: 12 }) requiredConfirmations!: number;
  @Instant() createdAt!: string;
  @Instant() estimatedCompletionTime!: string;
}

export function toDepositResponse(row: Deposit, config: AppConfig): DepositResponse {
  return {
    id: row.id,
    userId: row.userId,
    amount: row.amount.roundDown(MICRO_SCALE).toWire(),
    currency: row.currency,
    status: row.status,
    fromAddress: row.fromAddress,
    toAddress: row.toAddress,
    txHash: row.txHash,
    blockNumber: row.blockNumber,
    confirmations: row.confirmations,
    requiredConfirmations: row.requiredConfirmations,
    network: row.network,
    chainId: chainIdOf(config, row.network),
    gasUsed: row.gasUsed,
    gasFee: gasFee(row),
    createdAt: row.createdAt.toISOString(),
    confirmedAt: row.confirmedAt?.toISOString() ?? null,
    metadata: {
      depositAddress: row.toAddress,
      derivationPath: null,
      contractAddress: contractOf(config, row.network, row.currency),
      estimatedCompletionTime: isWaiting(row) ? estimatedCompletion(row) : null,
      reason: reasonOf(row, config.MINIMUM_DEPOSIT),
      nextStep: nextStepOf(row, config.MINIMUM_DEPOSIT),
      holdReason: row.holdReason,
    },
  };
}

export function toDepositClaimResponse(row: Deposit): DepositClaimResponse {
  return {
    id: row.id,
    userId: row.userId,
    amount: row.amount.toWire(),
    currency: row.currency,
    status: row.status,
    fromAddress: row.fromAddress ?? '',
    toAddress: row.toAddress,
    txHash: row.txHash,
    blockNumber: row.blockNumber,
    confirmations: row.confirmations,
    requiredConfirmations: row.requiredConfirmations,
    createdAt: row.createdAt.toISOString(),
    estimatedCompletionTime: estimatedCompletion(row),
  };
}

function isWaiting(row: Deposit): boolean {
  return (row.status === 'pending' || row.status === 'confirming') && row.holdReason === null;
}

/** As long after the last news as the missing blocks usually take. */
function estimatedCompletion(row: Deposit): string {
  const missing = Math.max(row.requiredConfirmations - row.confirmations, 0);
  return new Date(row.updatedAt.getTime() + missing * BLOCK_SECONDS[row.network] * 1000).toISOString();
}

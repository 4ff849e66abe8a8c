import {
  AsOf,
  Choice,
  Count,
  Flag,
  Instant,
  MoneyText,
  Nested,
  Text,
  Uuid,
} from '../../../../http/openapi/fields.js';
import { DEPOSIT_STATUSES } from '../domain/deposit.state-machine.js';
import { ADDRESS_CURRENCIES, DEPOSIT_CURRENCIES, NETWORKS } from '../domain/networks.js';
import { HOLD_REASONS } from '../entities/deposit.entity.js';

export class DepositMetadataResponse {
  @Text() depositAddress!: string;
  @Text({ nullable: true, description: 'Always null: the provider keeps the keys.' }) derivationPath!:
    string | null;
  @Text({ nullable: true, description: 'Contract of the token; null for ETH.' }) contractAddress!:
    string | null;
  @Instant({ nullable: true, description: 'Null once the deposit is credited, held or failed.' })
  estimatedCompletionTime!: string | null;
  @Text({
    nullable: true,
    description:
      "Why the deposit is not credited; null once it is. For admins with the deposit provider's words, if it has given any.",
  })
  reason!: string | null;
  @Text({ nullable: true, description: 'The next step for the user; null once the deposit is credited.' })
  nextStep!: string | null;
  @Choice(HOLD_REASONS, {
    nullable: true,
    description:
      'BELOW_MINIMUM: the deposit is confirmed and waits for more deposits to the address. BOOKED_BY_HAND: an admin credited it before.',
  })
  holdReason!: string | null;
}

export class DepositResponse {
  @Uuid() id!: string;
  @Uuid() userId!: string;
  @MoneyText({ description: 'as received, in `currency`; rounded down to six decimals' }) amount!: string;
  @Choice(DEPOSIT_CURRENCIES) currency!: string;
  @Choice(DEPOSIT_STATUSES) status!: string;
  @Text({ nullable: true }) fromAddress!: string | null;
  @Text() toAddress!: string;
  @Text() txHash!: string;
  @Count({
    nullable: true,
    description:
      'of the block that contains the transaction; null until it is in one, and where the chain was not read',
  })
  blockNumber!: number | null;
  @Count({ description: 'confirmations at the last report or reading of the chain' }) confirmations!: number;
  @Count({ example: 12, description: 'confirmations that complete the deposit' })
  requiredConfirmations!: number;
  @Choice(NETWORKS) network!: string;
  @Count({ description: 'id of the chain' }) chainId!: number;
  @Text({ nullable: true, description: 'Units of gas.', example: '51234' }) gasUsed!: string | null;
  @MoneyText({
    nullable: true,
    example: '0.000051',
    description:
      'in ETH, paid by the sender, rounded half to even to six decimals; null if the chain was not read',
  })
  gasFee!: string | null;
  @Instant() createdAt!: string;
  @Instant({ nullable: true }) confirmedAt!: string | null;
  @Nested(() => DepositMetadataResponse) metadata!: DepositMetadataResponse;
}

export class DepositSummaryResponse {
  @MoneyText({ description: 'totalCompleted and totalPending together; failed deposits do not count.' })
  totalDeposited!: string;
  @MoneyText({ description: 'credited, in `currency`' }) totalCompleted!: string;
  @MoneyText({
    description:
      'Pending, confirming or held deposits, without those booked by hand and without claims that the chain does not show.',
  })
  totalPending!: string;
  @Choice(DEPOSIT_CURRENCIES, {
    description:
      'The currency of the filter. Without a filter USDC: the credited value of USDC and USDT, without ETH.',
  })
  currency!: string;
}

export class DepositClaimResponse {
  @Uuid() id!: string;
  @Uuid() userId!: string;
  @MoneyText({ description: 'as the user states it, in `currency`' }) amount!: string;
  @Choice(['USDC', 'ETH']) currency!: string;
  @Choice(['pending']) status!: string;
  @Text() fromAddress!: string;
  @Text() toAddress!: string;
  @Text() txHash!: string;
  @Count({ nullable: true, description: 'always null: the chain has not shown the transfer yet' })
  blockNumber!: number | null;
  @Count({ example: 0, description: 'always 0: the chain has not shown the transfer yet' })
  confirmations!: number;
  @Count({ example: 12, description: 'confirmations that complete the deposit' })
  requiredConfirmations!: number;
  @Instant() createdAt!: string;
  @Instant() estimatedCompletionTime!: string;
}

export class AdminDepositResponse extends DepositResponse {
  @Text({ example: 'ann@example.org' }) userEmail!: string;
}

export class AdminDepositSummaryResponse extends DepositSummaryResponse {
  @Count({ description: 'confirmed deposits with a holdReason' }) heldCount!: number;
  @MoneyText({ description: 'sum of the deposits in heldCount, in the currency of the summary' })
  heldValue!: string;
  @AsOf() asOf!: string;
}

export class DepositAddressResponse {
  @Text({ example: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' }) address!: string;
  @Choice(ADDRESS_CURRENCIES) currency!: string;
  @Choice(NETWORKS) network!: string;
  @Count({ example: 728126428, description: 'id of the chain' }) chainId!: number;
  @Text({ example: 'crypto2b' }) depositProviderName!: string;
  @Text() depositProviderAddressId!: string;
  @Flag({ description: 'Always true: the address belongs to the deposit provider.' }) isExternal!: boolean;
  @Text({ description: 'PNG data URL of the address.' }) qrCode!: string;
  @Text({ nullable: true, description: 'Contract of the token on that network.' }) contractAddress!:
    string | null;
  @MoneyText({
    example: '500.00',
    description: 'in `currency`; smaller deposits are held until this much has arrived',
  })
  minimumDeposit!: string;
  @Count({ example: 20, description: 'confirmations that complete a deposit' })
  estimatedConfirmations!: number;
  @Text({ nullable: true, description: 'Always null: none of the networks needs one.' }) memo!: string | null;
  @Instant({ nullable: true, description: 'Always null: an address never expires.' }) expiresAt!:
    string | null;
}

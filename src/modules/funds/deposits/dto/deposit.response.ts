import {
  AsOfField,
  BooleanField,
  EnumField,
  InstantField,
  IntegerField,
  ListField,
  MoneyField,
  NestedField,
  StringField,
  StringListField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { DEPOSIT_STATUSES } from '../domain/deposit.state-machine.js';
import {
  ADDRESS_CURRENCIES,
  DEPOSIT_CURRENCIES,
  NETWORKS,
  NETWORK_READERS,
  NETWORK_STATUSES,
} from '../domain/networks.js';
import { HOLD_REASONS } from '../entities/deposit.entity.js';

export class DepositMetadataResponse {
  @StringField() depositAddress!: string;
  @StringField({ nullable: true, description: 'Always null: the provider keeps the keys.' }) derivationPath!:
    string | null;
  @StringField({ nullable: true, description: 'Contract of the token; null for ETH.' }) contractAddress!:
    string | null;
  @InstantField({ nullable: true, description: 'Null once the deposit is credited, held or failed.' })
  estimatedCompletionTime!: string | null;
  @StringField({
    nullable: true,
    description:
      "Why the deposit is not credited; null once it is. For admins with the deposit provider's words, if it has given any.",
  })
  reason!: string | null;
  @StringField({
    nullable: true,
    description: 'The next step for the user; null once the deposit is credited.',
  })
  nextStep!: string | null;
  @EnumField(HOLD_REASONS, {
    nullable: true,
    description:
      'BELOW_MINIMUM: the deposit is confirmed and waits for more deposits to the address. BOOKED_BY_HAND: an admin credited it before.',
  })
  holdReason!: string | null;
}

export class DepositResponse {
  @UuidField() id!: string;
  @UuidField() userId!: string;
  @MoneyField({ description: 'as received, in `currency`; rounded down to six decimals' }) amount!: string;
  @EnumField(DEPOSIT_CURRENCIES) currency!: string;
  @EnumField(DEPOSIT_STATUSES) status!: string;
  @StringField({ nullable: true }) fromAddress!: string | null;
  @StringField() toAddress!: string;
  @StringField() txHash!: string;
  @IntegerField({
    nullable: true,
    description:
      'of the block that contains the transaction; null until it is in one, and where the chain was not read',
  })
  blockNumber!: number | null;
  @IntegerField({ description: 'confirmations at the last report or reading of the chain' })
  confirmations!: number;
  @IntegerField({ example: 12, description: 'confirmations that complete the deposit' })
  requiredConfirmations!: number;
  @EnumField(NETWORKS) network!: string;
  @IntegerField({ description: 'id of the chain' }) chainId!: number;
  @StringField({ nullable: true, description: 'Units of gas.', example: '51234' }) gasUsed!: string | null;
  @MoneyField({
    nullable: true,
    example: '0.000051',
    description:
      'in ETH, paid by the sender, rounded half to even to six decimals; null if the chain was not read',
  })
  gasFee!: string | null;
  @InstantField() createdAt!: string;
  @InstantField({ nullable: true }) confirmedAt!: string | null;
  @NestedField(() => DepositMetadataResponse) metadata!: DepositMetadataResponse;
}

export class DepositSummaryResponse {
  @MoneyField({ description: 'totalCompleted and totalPending together; failed deposits do not count.' })
  totalDeposited!: string;
  @MoneyField({ description: 'credited, in `currency`' }) totalCompleted!: string;
  @MoneyField({
    description:
      'Pending, confirming or held deposits, without those booked by hand and without claims that the chain does not show.',
  })
  totalPending!: string;
  @EnumField(DEPOSIT_CURRENCIES, {
    description:
      'The currency of the filter. Without a filter USDC: the credited value of USDC and USDT, without ETH.',
  })
  currency!: string;
}

export class DepositClaimResponse {
  @UuidField() id!: string;
  @UuidField() userId!: string;
  @MoneyField({ description: 'as the user states it, in `currency`' }) amount!: string;
  @EnumField(['USDC', 'ETH']) currency!: string;
  @EnumField(['pending']) status!: string;
  @StringField() fromAddress!: string;
  @StringField() toAddress!: string;
  @StringField() txHash!: string;
  @IntegerField({ nullable: true, description: 'always null: the chain has not shown the transfer yet' })
  blockNumber!: number | null;
  @IntegerField({ example: 0, description: 'always 0: the chain has not shown the transfer yet' })
  confirmations!: number;
  @IntegerField({ example: 12, description: 'confirmations that complete the deposit' })
  requiredConfirmations!: number;
  @InstantField() createdAt!: string;
  @InstantField() estimatedCompletionTime!: string;
}

export class AdminDepositResponse extends DepositResponse {
  @StringField({ example: 'ann@example.org' }) userEmail!: string;
}

export class AdminDepositSummaryResponse extends DepositSummaryResponse {
  @IntegerField({ description: 'confirmed deposits with a holdReason' }) heldCount!: number;
  @MoneyField({ description: 'sum of the deposits in heldCount, in the currency of the summary' })
  heldValue!: string;
  @AsOfField() asOf!: string;
}

export class DepositAddressResponse {
  @StringField({ example: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' }) address!: string;
  @EnumField(ADDRESS_CURRENCIES) currency!: string;
  @EnumField(NETWORKS) network!: string;
  @IntegerField({ example: 728126428, description: 'id of the chain' }) chainId!: number;
  @StringField({ example: 'crypto2b' }) depositProviderName!: string;
  @StringField() depositProviderAddressId!: string;
  @BooleanField({ description: 'Always true: the address belongs to the deposit provider.' })
  isExternal!: boolean;
  @StringField({ description: 'PNG data URL of the address.' }) qrCode!: string;
  @StringField({ nullable: true, description: 'Contract of the token on that network.' }) contractAddress!:
    string | null;
  @MoneyField({
    example: '500.00',
    description: 'in `currency`; smaller deposits are held until this much has arrived',
  })
  minimumDeposit!: string;
  @IntegerField({ example: 20, description: 'confirmations that complete a deposit' })
  estimatedConfirmations!: number;
  @StringField({ nullable: true, description: 'Always null: none of the networks needs one.' }) memo!:
    string | null;
  @InstantField({ nullable: true, description: 'Always null: an address never expires.' }) expiresAt!:
    string | null;
}

export class NetworkTokenResponse {
  @EnumField(ADDRESS_CURRENCIES) currency!: string;
  @StringField({ nullable: true }) contractAddress!: string | null;
}

export class NetworkResponse {
  @EnumField(NETWORKS, {
    description: 'id of the network in networks/{id}/status, which also accepts the chainId',
  })
  id!: string;
  @StringField({ example: 'Ethereum' }) name!: string;
  @IntegerField({ description: 'id of the chain' }) chainId!: number;
  @ListField(() => NetworkTokenResponse, { description: 'tokens that can be deposited' })
  tokens!: NetworkTokenResponse[];
  @IntegerField({ description: 'number that completes a deposit', example: 12 })
  requiredConfirmations!: number;
  @IntegerField({ description: 'usual number of seconds between blocks', example: 12 })
  blockTimeSeconds!: number;
  @EnumField(NETWORK_READERS, {
    description:
      'node: the service reads deposits of USDC on chain itself, and relies on the reports of the deposit provider for other currencies; ' +
      'provider: it relies on the reports for all',
  })
  readBy!: string;
}

export class ChainNetworkStatusResponse {
  @EnumField(NETWORKS) id!: string;
  @IntegerField({ description: 'id of the chain' }) chainId!: number;
  @EnumField(NETWORK_STATUSES, {
    description:
      'delayed: the deposit provider or the node did not answer the last poll; unknown: no recent poll has ended',
  })
  status!: string;
  @EnumField(NETWORK_READERS) readBy!: string;
  @IntegerField({
    nullable: true,
    description: 'of the newest block; null for a network that the service does not read itself',
  })
  blockNumber!: number | null;
  @InstantField({ nullable: true }) blockTime!: string | null;
  @StringField({ nullable: true, description: 'in gwei', example: '12.5' }) gasPrice!: string | null;
  @InstantField() checkedAt!: string;
}

export class WatchedDepositsResponse {
  @EnumField(NETWORKS) network!: string;
  @IntegerField({ description: 'id of the chain' }) chainId!: number;
  @StringField({ description: 'of the watched token' }) contractAddress!: string;
  @EnumField(['USDC']) currency!: string;
  @IntegerField({ description: 'number that completes a deposit', example: 12 })
  requiredConfirmations!: number;
  @IntegerField({ nullable: true, description: 'of the newest block; null while the node does not answer' })
  blockNumber!: number | null;
  @IntegerField({ description: 'USDC deposits of all users on this network that are not in a block yet' })
  pending!: number;
  @IntegerField({
    description: 'USDC deposits of all users on this network that wait for confirmations or are held',
  })
  confirming!: number;
}

export class NetworkStatusResponse {
  @EnumField(NETWORKS) network!: string;
  @IntegerField({ example: 12, description: 'number that completes a deposit' })
  requiredConfirmations!: number;
  @MoneyField({
    example: '500.00',
    description: 'in USDC or USDT; smaller deposits are held until this much has arrived',
  })
  minimumDeposit!: string;
  @EnumField(NETWORK_STATUSES, {
    description:
      'delayed: deposits are credited later, because the provider or the chain does not answer; unknown: no recent poll has ended',
  })
  status!: string;
}

export class DepositStatusResponse {
  @BooleanField({ description: 'False if the deposit provider did not answer the last poll.' })
  accepting!: boolean;
  @StringListField({ description: 'Currencies that deposit addresses exist for.' }) currencies!: string[];
  @ListField(() => NetworkStatusResponse) networks!: NetworkStatusResponse[];
}

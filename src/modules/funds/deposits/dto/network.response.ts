import {
  EnumField,
  IntegerField,
  BooleanField,
  InstantField,
  ListField,
  MoneyField,
  StringField,
  StringListField,
} from '../../../../http/openapi/fields.js';
import { ADDRESS_CURRENCIES, NETWORK_READERS, NETWORK_STATUSES, NETWORKS } from '../domain/networks.js';

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

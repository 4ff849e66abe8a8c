import {
  Choice,
  Count,
  Flag,
  Instant,
  ListOf,
  MoneyText,
  Text,
  TextList,
} from '../../../../http/openapi/fields.js';
import { ADDRESS_CURRENCIES, NETWORK_READERS, NETWORK_STATUSES, NETWORKS } from '../domain/networks.js';

export class NetworkTokenResponse {
  @Choice(ADDRESS_CURRENCIES) currency!: string;
  @Text({ nullable: true }) contractAddress!: string | null;
}

export class NetworkResponse {
  @Choice(NETWORKS, {
    description: 'id of the network in networks/{id}/status, which also accepts the chainId',
  })
  id!: string;
  @Text({ example: 'Ethereum' }) name!: string;
  @Count({ description: 'id of the chain' }) chainId!: number;
  @ListOf(() => NetworkTokenResponse, { description: 'tokens that can be deposited' })
  tokens!: NetworkTokenResponse[];
  @Count({ description: 'number that completes a deposit', example: 12 }) requiredConfirmations!: number;
  @Count({ description: 'usual number of seconds between blocks', example: 12 }) blockTimeSeconds!: number;
  @Choice(NETWORK_READERS, {
    description:
      'node: the service reads the chain itself; provider: it relies on the reports of the deposit provider',
  })
  readBy!: string;
}

export class ChainNetworkStatusResponse {
  @Choice(NETWORKS) id!: string;
  @Count({ description: 'id of the chain' }) chainId!: number;
  @Choice(NETWORK_STATUSES, {
    description:
      'delayed: the deposit provider or the node did not answer the last poll; unknown: no recent poll has ended',
  })
  status!: string;
  @Choice(NETWORK_READERS) readBy!: string;
  @Count({
    nullable: true,
    description: 'of the newest block; null for a network that the service does not read itself',
  })
  blockNumber!: number | null;
  @Instant({ nullable: true }) blockTime!: string | null;
  @Text({ nullable: true, description: 'in gwei', example: '12.5' }) gasPrice!: string | null;
  @Instant() checkedAt!: string;
}

export class WatchedDepositsResponse {
  @Choice(NETWORKS) network!: string;
  @Count({ description: 'id of the chain' }) chainId!: number;
  @Text({ description: 'of the watched token' }) contractAddress!: string;
  @Choice(['USDC']) currency!: string;
  @Count({ description: 'number that completes a deposit', example: 12 }) requiredConfirmations!: number;
  @Count({ nullable: true, description: 'of the newest block; null while the node does not answer' })
  blockNumber!: number | null;
  @Count({ description: 'USDC deposits of all users on this network that are not in a block yet' })
  pending!: number;
  @Count({
    description: 'USDC deposits of all users on this network that wait for confirmations or are held',
  })
  confirming!: number;
}

export class NetworkStatusResponse {
  @Choice(NETWORKS) network!: string;
  @Count({ example: 12, description: 'number that completes a deposit' }) requiredConfirmations!: number;
  @MoneyText({
    example: '500.00',
    description: 'in USDC or USDT; smaller deposits are held until this much has arrived',
  })
  minimumDeposit!: string;
  @Choice(NETWORK_STATUSES, {
    description:
      'delayed: deposits are credited later, because the provider or the chain does not answer; unknown: no recent poll has ended',
  })
  status!: string;
}

export class DepositStatusResponse {
  @Flag({ description: 'False if the deposit provider did not answer the last poll.' })
  accepting!: boolean;
  @TextList({ description: 'Currencies that deposit addresses exist for.' }) currencies!: string[];
  @ListOf(() => NetworkStatusResponse) networks!: NetworkStatusResponse[];
}

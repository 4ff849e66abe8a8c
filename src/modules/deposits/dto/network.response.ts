import type { AppConfig } from '../../../config/app-config.js';
import { Choice, Count, Instant, ListOf, Text } from '../../../http/openapi/fields.js';
import type { ChainHead } from '../../blockchain/chain.js';
import { NETWORK_STATUSES, networkStatusOf } from './deposit-status.response.js';
import {
  ADDRESS_CURRENCIES,
  BLOCK_SECONDS,
  chainIdOf,
  contractOf,
  NETWORKS,
  requiredConfirmations,
  type Network,
} from '../networks.js';

const READERS = ['node', 'provider'] as const;
const NAMES: Record<Network, string> = { ERC20: 'Ethereum', BEP20: 'BNB Smart Chain', TRC20: 'TRON' };

export class NetworkTokenResponse {
  @Choice(ADDRESS_CURRENCIES) currency!: string;
  @Text({ nullable: true }) contractAddress!: string | null;
}

export class NetworkResponse {
  @Choice(NETWORKS, { description: 'names the network in the path of its status; its chainId does, too' })
  id!: string;
  @Text({ example: 'Ethereum' }) name!: string;
  @Count() chainId!: number;
  @ListOf(() => NetworkTokenResponse, { description: 'what can be deposited' })
  tokens!: NetworkTokenResponse[];
  @Count({ description: 'that complete a deposit', example: 12 }) requiredConfirmations!: number;
  @Count({ description: 'seconds between blocks, usually', example: 12 }) blockTimeSeconds!: number;
  @Choice(READERS, { description: 'node: the service reads the chain itself; provider: it takes its word' })
  readBy!: string;
}

export const readBy = (network: Network): (typeof READERS)[number] =>
  network === 'ERC20' ? 'node' : 'provider';

export function toNetworkResponse(config: AppConfig, network: Network): NetworkResponse {
  return {
    id: network,
    name: NAMES[network],
    chainId: chainIdOf(config, network),
    tokens: ADDRESS_CURRENCIES.map((currency) => ({
      currency,
      contractAddress: contractOf(config, network, currency),
    })),
    requiredConfirmations: requiredConfirmations(config, network),
    blockTimeSeconds: BLOCK_SECONDS[network],
    readBy: readBy(network),
  };
}

export class ChainNetworkStatusResponse {
  @Choice(NETWORKS) id!: string;
  @Count() chainId!: number;
  @Choice(NETWORK_STATUSES, {
    description:
      'delayed: whoever tells us of deposits there did not answer when last asked; unknown: nothing was asked yet',
  })
  status!: string;
  @Choice(READERS) readBy!: string;
  @Count({ nullable: true, description: 'of the newest block; null where the service does not read itself' })
  blockNumber!: number | null;
  @Instant({ nullable: true }) blockTime!: string | null;
  @Text({ nullable: true, description: 'in gwei', example: '12.5' }) gasPrice!: string | null;
  @Instant() checkedAt!: string;
}

export function toChainNetworkStatusResponse(
  config: AppConfig,
  network: Network,
  { answers, head, at }: { answers: readonly (boolean | null)[]; head: ChainHead | null; at: Date },
): ChainNetworkStatusResponse {
  return {
    id: network,
    chainId: chainIdOf(config, network),
    status: networkStatusOf(answers),
    readBy: readBy(network),
    blockNumber: head?.blockNumber ?? null,
    blockTime: head?.blockTime.toISOString() ?? null,
    gasPrice: head?.gasPrice ?? null,
    checkedAt: at.toISOString(),
  };
}

export class WatchedDepositsResponse {
  @Choice(NETWORKS) network!: string;
  @Count() chainId!: number;
  @Text({ description: 'of the token that is watched' }) contractAddress!: string;
  @Choice(['USDC']) currency!: string;
  @Count({ description: 'that complete a deposit', example: 12 }) requiredConfirmations!: number;
  @Count({ nullable: true, description: 'of the newest block; null while the node does not answer' })
  blockNumber!: number | null;
  @Count({ description: 'deposits of all users on this network that no block shows yet' }) pending!: number;
  @Count({ description: 'deposits of all users on this network that wait for confirmations, or are held' })
  confirming!: number;
}

export function toWatchedDepositsResponse(
  config: AppConfig,
  blockNumber: number | null,
  { pending, confirming }: { pending: number; confirming: number },
): WatchedDepositsResponse {
  return {
    network: 'ERC20',
    chainId: config.CHAIN_ID,
    contractAddress: contractOf(config, 'ERC20', 'USDC') as string,
    currency: 'USDC',
    requiredConfirmations: requiredConfirmations(config, 'ERC20'),
    blockNumber,
    pending,
    confirming,
  };
}

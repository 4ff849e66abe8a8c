import type { AppConfig } from '../../../config/app-config.js';
import {
  ADDRESS_CURRENCIES,
  BLOCK_SECONDS,
  chainIdOf,
  contractOf,
  NETWORK_NAMES,
  readerOf,
  requiredConfirmations,
  type Network,
} from './domain/networks.js';
import type {
  ChainNetworkStatusResponse,
  DepositStatusResponse,
  NetworkResponse,
  WatchedDepositsResponse,
} from './dto/network.response.js';
import type { ChainNetworkState, DepositAvailability, WatchedDeposits } from './networks.service.js';

export function toNetworkResponse(network: Network, config: AppConfig): NetworkResponse {
  return {
    id: network,
    name: NETWORK_NAMES[network],
    chainId: chainIdOf(config, network),
    tokens: ADDRESS_CURRENCIES.map((currency) => ({
      currency,
      contractAddress: contractOf(config, network, currency),
    })),
    requiredConfirmations: requiredConfirmations(config, network),
    blockTimeSeconds: BLOCK_SECONDS[network],
    readBy: readerOf(network),
  };
}

export function toChainNetworkStatusResponse(
  { network, status, head, checkedAt }: ChainNetworkState,
  config: AppConfig,
): ChainNetworkStatusResponse {
  return {
    id: network,
    chainId: chainIdOf(config, network),
    status,
    readBy: readerOf(network),
    blockNumber: head?.blockNumber ?? null,
    blockTime: head?.blockTime?.toISOString() ?? null,
    gasPrice: head?.gasPrice ?? null,
    checkedAt: checkedAt.toISOString(),
  };
}

export function toWatchedDepositsResponse(
  { blockNumber, pending, confirming }: WatchedDeposits,
  config: AppConfig,
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

export function toDepositStatusResponse(
  { isAccepting, networks }: DepositAvailability,
  config: AppConfig,
): DepositStatusResponse {
  return {
    accepting: isAccepting,
    currencies: [...ADDRESS_CURRENCIES],
    networks: networks.map(({ network, status }) => ({
      network,
      requiredConfirmations: requiredConfirmations(config, network),
      minimumDeposit: config.MINIMUM_DEPOSIT.toWire(),
      status,
    })),
  };
}

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
import {
  ChainNetworkStatusResponse,
  type DepositStatusResponse,
  type NetworkResponse,
  WatchedDepositsResponse,
} from './dto/network.response.js';
import { toResponse } from '../../../http/response/to-response.js';
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
  state: ChainNetworkState,
  config: AppConfig,
): ChainNetworkStatusResponse {
  const { network, head } = state;
  return toResponse(ChainNetworkStatusResponse, state, {
    id: network,
    chainId: chainIdOf(config, network),
    readBy: readerOf(network),
    blockNumber: head?.blockNumber ?? null,
    blockTime: head?.blockTime ?? null,
    gasPrice: head?.gasPrice ?? null,
  });
}

export function toWatchedDepositsResponse(
  watched: WatchedDeposits,
  config: AppConfig,
): WatchedDepositsResponse {
  return toResponse(WatchedDepositsResponse, watched, {
    network: 'ERC20',
    chainId: config.CHAIN_ID,
    contractAddress: config.USDC_CONTRACT_ADDRESS,
    currency: 'USDC',
    requiredConfirmations: requiredConfirmations(config, 'ERC20'),
  });
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

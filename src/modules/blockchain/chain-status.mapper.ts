import { MICRO_SCALE } from '../../common/money.js';
import { chainCondition } from './chain.client.js';
import type { ChainStatus, UsdcContract } from './chain-status.service.js';
import type { ChainStatusResponse, ContractsResponse } from './dto/chain-status.response.js';

export function toChainStatusResponse(status: ChainStatus): ChainStatusResponse {
  const { head, expectedChainId, latencyMs, checkedAt } = status;
  const condition = chainCondition(head, expectedChainId);
  return {
    status: condition.status === 'healthy' ? 'healthy' : 'degraded',
    chainId: head.chainId,
    expectedChainId,
    blockNumber: head.blockNumber,
    blockTime: head.blockTime.toISOString(),
    gasPrice: head.gasPrice,
    syncing: head.isSyncing,
    latencyMs: Math.round(latencyMs),
    checkedAt: checkedAt.toISOString(),
  };
}

export function toContractsResponse({ chainId, address }: UsdcContract): ContractsResponse {
  return { chainId, contracts: [{ symbol: 'USDC', standard: 'ERC-20', address, decimals: MICRO_SCALE }] };
}

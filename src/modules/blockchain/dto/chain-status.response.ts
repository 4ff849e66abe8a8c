import { getAddress } from 'viem';
import type { AppConfig } from '../../../config/app-config.js';
import { Choice, Count, Flag, Instant, ListOf, Text } from '../../../http/openapi/fields.js';
import { MICRO_SCALE } from '../../../common/money.js';
import { chainCondition, type ChainHead } from '../chain.js';

export class ChainStatusResponse {
  @Choice(['healthy', 'degraded'], {
    description: 'degraded: the node is still catching up, or it is on another chain than the configured one',
  })
  status!: string;
  @Count({ description: 'as the node says', example: 1 }) chainId!: number;
  @Count({ description: 'as configured', example: 1 }) expectedChainId!: number;
  @Count({ description: 'of the newest block' }) blockNumber!: number;
  @Instant({ description: 'of the newest block' }) blockTime!: string;
  @Text({ description: 'in gwei', example: '12.5' }) gasPrice!: string;
  @Flag({ description: 'the node is still catching up' }) syncing!: boolean;
  @Count({ description: 'milliseconds that the node took to say this' }) latencyMs!: number;
  @Instant() checkedAt!: string;
}

export function toChainStatusResponse(
  head: ChainHead,
  { expectedChainId, latencyMs, checkedAt }: { expectedChainId: number; latencyMs: number; checkedAt: Date },
): ChainStatusResponse {
  const { status } = chainCondition(head, expectedChainId);
  return {
    status: status === 'healthy' ? 'healthy' : 'degraded',
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

export class ContractResponse {
  @Text({ example: 'USDC' }) symbol!: string;
  @Choice(['ERC-20']) standard!: string;
  @Text({ description: 'checksummed' }) address!: string;
  @Count({ example: MICRO_SCALE }) decimals!: number;
}

export class ContractsResponse {
  @Count({ description: 'of the chain that the service reads' }) chainId!: number;
  @ListOf(() => ContractResponse, { description: 'what the service reads on that chain' })
  contracts!: ContractResponse[];
}

export function toContractsResponse(config: AppConfig): ContractsResponse {
  const address = getAddress(config.USDC_CONTRACT_ADDRESS.toLowerCase());
  return {
    chainId: config.CHAIN_ID,
    contracts: [{ symbol: 'USDC', standard: 'ERC-20', address, decimals: MICRO_SCALE }],
  };
}

export class WebsocketStatusResponse {
  @Flag({ description: 'false: the service has no websocket' }) enabled!: boolean;
  @Choice(['planned']) status!: string;
  @Text({ description: 'what to do instead' }) message!: string;
}

export function toWebsocketStatusResponse(): WebsocketStatusResponse {
  return {
    enabled: false,
    status: 'planned',
    message: 'There is no websocket yet. Ask GET /api/blockchain/status, or POST /api/blockchain/rpc.',
  };
}

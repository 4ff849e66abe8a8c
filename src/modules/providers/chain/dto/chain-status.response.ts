import { MICRO_SCALE } from '../../../../common/money.js';
import { Choice, Count, Flag, Instant, ListOf, Text } from '../../../../http/openapi/fields.js';

export class ChainStatusResponse {
  @Choice(['healthy', 'degraded'], {
    description:
      'degraded: the node is still synchronising, or it is on another chain than the configured one',
  })
  status!: string;
  @Count({ description: 'reported by the node', example: 1 }) chainId!: number;
  @Count({ description: 'the configured chain', example: 1 }) expectedChainId!: number;
  @Count({ description: 'of the newest block' }) blockNumber!: number;
  @Instant({ nullable: true, description: 'of the newest block; null if the node does not say' })
  blockTime!: string | null;
  @Text({ nullable: true, description: 'in gwei; null if the node does not say', example: '12.5' })
  gasPrice!: string | null;
  @Flag({ nullable: true, description: 'the node is still synchronising; null if it does not say' })
  syncing!: boolean | null;
  @Count({ description: 'response time of the node in milliseconds' }) latencyMs!: number;
  @Instant() checkedAt!: string;
}

export class ContractResponse {
  @Text({ example: 'USDC' }) symbol!: string;
  @Choice(['ERC-20']) standard!: string;
  @Text({ description: 'checksummed' }) address!: string;
  @Count({ example: MICRO_SCALE, description: 'decimals of the token on chain' }) decimals!: number;
}

export class ContractsResponse {
  @Count({ description: 'of the chain that the service reads' }) chainId!: number;
  @ListOf(() => ContractResponse, { description: 'token contracts that the service reads on that chain' })
  contracts!: ContractResponse[];
}

import { MICRO_SCALE } from '../../../../common/money.js';
import {
  EnumField,
  IntegerField,
  BooleanField,
  InstantField,
  ListField,
  StringField,
} from '../../../../http/openapi/fields.js';

export class ChainStatusResponse {
  @EnumField(['healthy', 'degraded'], {
    description:
      'degraded: the node is still synchronising, or it is on another chain than the configured one',
  })
  status!: string;
  @IntegerField({ description: 'reported by the node', example: 1 }) chainId!: number;
  @IntegerField({ description: 'the configured chain', example: 1 }) expectedChainId!: number;
  @IntegerField({ description: 'of the newest block' }) blockNumber!: number;
  @InstantField({ nullable: true, description: 'of the newest block; null if the node does not say' })
  blockTime!: string | null;
  @StringField({ nullable: true, description: 'in gwei; null if the node does not say', example: '12.5' })
  gasPrice!: string | null;
  @BooleanField({ nullable: true, description: 'the node is still synchronising; null if it does not say' })
  syncing!: boolean | null;
  @IntegerField({ description: 'response time of the node in milliseconds' }) latencyMs!: number;
  @InstantField() checkedAt!: string;
}

export class ContractResponse {
  @StringField({ example: 'USDC' }) symbol!: string;
  @EnumField(['ERC-20']) standard!: string;
  @StringField({ description: 'checksummed' }) address!: string;
  @IntegerField({ example: MICRO_SCALE, description: 'decimals of the token on chain' }) decimals!: number;
}

export class ContractsResponse {
  @IntegerField({ description: 'of the chain that the service reads' }) chainId!: number;
  @ListField(() => ContractResponse, { description: 'token contracts that the service reads on that chain' })
  contracts!: ContractResponse[];
}

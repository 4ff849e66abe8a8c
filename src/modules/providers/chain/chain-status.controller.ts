import { Controller, Get, Head } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { MICRO_SCALE } from '../../../common/money.js';
import { AppConfig } from '../../../config/app-config.js';
import { PublicRoute } from '../../../http/auth/route.js';
import { chainCondition } from './chain.client.js';
import { ChainStatusService, type ChainStatus } from './chain-status.service.js';
import { ChainStatusResponse, ContractsResponse } from './dto/chain-status.response.js';
import { toResponse } from '../../../http/response/to-response.js';

// The @Head handler is declared before the @Get handler of the same path: Express serves HEAD with the first match.

@ApiTags('blockchain')
@Controller('api/blockchain')
export class ChainStatusController {
  constructor(
    private readonly chainStatus: ChainStatusService,
    private readonly config: AppConfig,
  ) {}

  @Head('status')
  @PublicRoute({ summary: 'The headers of the response to GET', errors: ['BLOCKCHAIN_ERROR'] })
  statusHeaders(): Promise<ChainStatusResponse> {
    return this.status();
  }

  @Get('status')
  @PublicRoute({
    summary: 'The state of the chain, read from its node now',
    data: ChainStatusResponse,
    errors: ['BLOCKCHAIN_ERROR'],
  })
  async status(): Promise<ChainStatusResponse> {
    return toChainStatusResponse(await this.chainStatus.getStatus(), this.config.CHAIN_ID);
  }

  @Get('contracts')
  @PublicRoute({
    operationId: 'listBlockchainContracts',
    summary: 'Contracts that the service reads',
    data: ContractsResponse,
  })
  contracts(): ContractsResponse {
    const { CHAIN_ID: chainId, USDC_CONTRACT_ADDRESS: address } = this.config;
    return { chainId, contracts: [{ symbol: 'USDC', standard: 'ERC-20', address, decimals: MICRO_SCALE }] };
  }
}

function toChainStatusResponse(
  { head, latencyMs, checkedAt }: ChainStatus,
  expectedChainId: number,
): ChainStatusResponse {
  const condition = chainCondition(head, expectedChainId);
  return toResponse(ChainStatusResponse, head, {
    status: condition.status === 'healthy' ? 'healthy' : 'degraded',
    expectedChainId,
    syncing: head.isSyncing,
    latencyMs: Math.round(latencyMs),
    checkedAt,
  });
}

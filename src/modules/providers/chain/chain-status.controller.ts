import { Controller, Get, Head } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Clock } from '../../../common/clock.js';
import { MICRO_SCALE } from '../../../common/money.js';
import { AppConfig } from '../../../config/app-config.js';
import { PublicRoute } from '../../../http/auth/route.js';
import { toResponse } from '../../../http/response/to-response.js';
import { chainCondition, ChainClient } from './chain.client.js';
import { ChainStatusResponse, ContractsResponse } from './dto/chain-status.response.js';

// The @Head handler is declared before the @Get handler of the same path: Express serves HEAD with the first match.

@ApiTags('blockchain')
@Controller('api/blockchain')
export class ChainStatusController {
  constructor(
    private readonly chain: ChainClient,
    private readonly clock: Clock,
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
    const expectedChainId = this.config.CHAIN_ID;
    const beganMs = performance.now();
    const head = await this.chain.head();
    return toResponse(ChainStatusResponse, head, {
      status: chainCondition(head, expectedChainId).status === 'healthy' ? 'healthy' : 'degraded',
      expectedChainId,
      syncing: head.isSyncing,
      latencyMs: Math.round(performance.now() - beganMs),
      checkedAt: this.clock.now(),
    });
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

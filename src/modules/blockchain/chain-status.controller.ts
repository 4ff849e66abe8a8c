import { Controller, Get, Head } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AppConfig } from '../../config/app-config.js';
import { PublicRoute } from '../../http/auth/route.js';
import { ChainStatusService } from './chain-status.service.js';
import {
  ChainStatusResponse,
  toContractsResponse,
  ContractsResponse,
  toWebsocketStatusResponse,
  WebsocketStatusResponse,
} from './dto/chain-status.response.js';

// Each HEAD stands before its GET, or the framework answers it with the GET: what comes first is taken.

@ApiTags('blockchain')
@Controller('api/blockchain')
export class ChainStatusController {
  constructor(
    private readonly config: AppConfig,
    private readonly chain: ChainStatusService,
  ) {}

  @Head('status')
  @PublicRoute({ summary: 'The headers of the GET request', errors: ['BLOCKCHAIN_ERROR'] })
  statusHeaders(): Promise<ChainStatusResponse> {
    return this.chain.status();
  }

  @Get('status')
  @PublicRoute({
    summary: 'The state of the chain, read from its node now',
    data: ChainStatusResponse,
    errors: ['BLOCKCHAIN_ERROR'],
  })
  status(): Promise<ChainStatusResponse> {
    return this.chain.status();
  }

  @Get('contracts')
  @PublicRoute({ summary: 'Contracts that the service reads', data: ContractsResponse })
  contracts(): ContractsResponse {
    return toContractsResponse(this.config);
  }

  @Head('websocket/status')
  @PublicRoute({ summary: 'The headers of the GET request' })
  websocketHeaders(): WebsocketStatusResponse {
    return toWebsocketStatusResponse();
  }

  @Get('websocket/status')
  @PublicRoute({ summary: 'Whether the service has a websocket', data: WebsocketStatusResponse })
  websocket(): WebsocketStatusResponse {
    return toWebsocketStatusResponse();
  }
}

import { Controller, Get, Head } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AppConfig } from '../../config/app-config.js';
import { PublicRoute } from '../../http/auth/route.js';
import { ChainStatus } from './chain-status.service.js';
import {
  ChainStatusView,
  contractsView,
  ContractsView,
  websocketStatusView,
  WebsocketStatusView,
} from './dto/chain-status.response.js';

// Each HEAD stands before its GET, or the framework answers it with the GET: what comes first is taken.

@ApiTags('blockchain')
@Controller('api/blockchain')
export class ChainStatusController {
  constructor(
    private readonly config: AppConfig,
    private readonly chain: ChainStatus,
  ) {}

  @Head('status')
  @PublicRoute({ summary: 'The headers of the GET request', errors: ['BLOCKCHAIN_ERROR'] })
  statusHeaders(): Promise<ChainStatusView> {
    return this.chain.status();
  }

  @Get('status')
  @PublicRoute({
    summary: 'The state of the chain, read from its node now',
    data: ChainStatusView,
    errors: ['BLOCKCHAIN_ERROR'],
  })
  status(): Promise<ChainStatusView> {
    return this.chain.status();
  }

  @Get('contracts')
  @PublicRoute({ summary: 'Contracts that the service reads', data: ContractsView })
  contracts(): ContractsView {
    return contractsView(this.config);
  }

  @Head('websocket/status')
  @PublicRoute({ summary: 'The headers of the GET request' })
  websocketHeaders(): WebsocketStatusView {
    return websocketStatusView();
  }

  @Get('websocket/status')
  @PublicRoute({ summary: 'Whether the service has a websocket', data: WebsocketStatusView })
  websocket(): WebsocketStatusView {
    return websocketStatusView();
  }
}

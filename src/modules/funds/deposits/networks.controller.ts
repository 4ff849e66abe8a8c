import { Controller, Get, Head } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AppConfig } from '../../../config/app-config.js';
import { PublicRoute } from '../../../http/auth/route.js';
import { PathParam } from '../../../http/request/path-params.js';
import { NETWORKS } from './domain/networks.js';
import {
  ChainNetworkStatusResponse,
  DepositStatusResponse,
  NetworkResponse,
  WatchedDepositsResponse,
} from './dto/deposit.response.js';
import {
  toChainNetworkStatusResponse,
  toDepositStatusResponse,
  toNetworkResponse,
  toWatchedDepositsResponse,
} from './deposits.mapper.js';
import { NetworksService } from './networks.service.js';

@ApiTags('blockchain')
@Controller('api/blockchain')
export class NetworksController {
  constructor(
    private readonly networks: NetworksService,
    private readonly config: AppConfig,
  ) {}

  @Get('networks')
  @PublicRoute({ summary: 'Networks that deposits come from', data: [NetworkResponse] })
  list(): NetworkResponse[] {
    return NETWORKS.map((network) => toNetworkResponse(network, this.config));
  }

  @Get('networks/:id/status')
  @PublicRoute({
    summary: 'Whether the service follows a network without delay, and the newest block',
    data: ChainNetworkStatusResponse,
    errors: ['DEPOSIT_NETWORK_ERROR', 'BLOCKCHAIN_ERROR'],
  })
  async status(
    @PathParam({ name: 'id', description: 'the network', enum: NETWORKS }) id: string,
  ): Promise<ChainNetworkStatusResponse> {
    return toChainNetworkStatusResponse(await this.networks.getNetworkState(id), this.config);
  }

  // Declared before the GET route, which would handle HEAD otherwise.
  @Head('deposits')
  @PublicRoute({ operationId: 'getWatchedDepositsHeaders', summary: 'The headers of the response to GET' })
  watchedHeaders(): Promise<WatchedDepositsResponse> {
    return this.watched();
  }

  @Get('deposits')
  @PublicRoute({
    operationId: 'getWatchedDeposits',
    summary: 'The token contract and the number of deposits that the service watches on chain',
    data: WatchedDepositsResponse,
  })
  async watched(): Promise<WatchedDepositsResponse> {
    return toWatchedDepositsResponse(await this.networks.getWatchedDeposits(), this.config);
  }
}

@Controller('api/deposits')
export class DepositStatusController {
  constructor(
    private readonly config: AppConfig,
    private readonly networks: NetworksService,
  ) {}

  @Get('status')
  @PublicRoute({
    summary: 'Whether deposits are accepted, and the terms of each network',
    data: DepositStatusResponse,
  })
  status(): DepositStatusResponse {
    return toDepositStatusResponse(this.networks.getDepositAvailability(), this.config);
  }
}

import { Controller, Get, Head, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PublicRoute } from '../../http/auth/route.js';
import {
  ChainNetworkStatusResponse,
  NetworkResponse,
  WatchedDepositsResponse,
} from './dto/network.response.js';
import { NetworksService } from './networks.service.js';

/** The chain's routes that are about deposits. */
@ApiTags('blockchain')
@Controller('api/blockchain')
export class NetworksController {
  constructor(private readonly networks: NetworksService) {}

  @Get('networks')
  @PublicRoute({ summary: 'Networks that deposits come from', data: [NetworkResponse] })
  list(): NetworkResponse[] {
    return this.networks.list();
  }

  @Get('networks/:id/status')
  @PublicRoute({
    summary: 'Whether the service follows a network without delay, and the newest block',
    data: ChainNetworkStatusResponse,
    errors: ['DEPOSIT_NETWORK_ERROR', 'BLOCKCHAIN_ERROR'],
  })
  status(@Param('id') id: string): Promise<ChainNetworkStatusResponse> {
    return this.networks.status(id);
  }

  // Before its GET, which would answer it otherwise.
  @Head('deposits')
  @PublicRoute({ summary: 'The headers of the GET request' })
  watchedHeaders(): Promise<WatchedDepositsResponse> {
    return this.networks.watched();
  }

  @Get('deposits')
  @PublicRoute({
    summary: 'The token contract and the number of deposits that the service watches on chain',
    data: WatchedDepositsResponse,
  })
  watched(): Promise<WatchedDepositsResponse> {
    return this.networks.watched();
  }
}

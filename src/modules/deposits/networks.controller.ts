import { Controller, Get, Head, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PublicRoute } from '../../http/auth/route.js';
import { ChainNetworkStatusView, NetworkView, WatchedDepositsView } from './network.views.js';
import { Networks } from './networks.service.js';

/** The chain's routes that are about deposits. */
@ApiTags('blockchain')
@Controller('api/blockchain')
export class NetworksController {
  constructor(private readonly networks: Networks) {}

  @Get('networks')
  @PublicRoute({ summary: 'Networks that deposits come from', data: [NetworkView] })
  list(): NetworkView[] {
    return this.networks.list();
  }

  @Get('networks/:id/status')
  @PublicRoute({
    summary: 'Whether a network is followed without delay, and where it stands',
    data: ChainNetworkStatusView,
    errors: ['DEPOSIT_NETWORK_ERROR', 'BLOCKCHAIN_ERROR'],
  })
  status(@Param('id') id: string): Promise<ChainNetworkStatusView> {
    return this.networks.status(id);
  }

  // Before its GET, which would answer it otherwise.
  @Head('deposits')
  @PublicRoute({ summary: 'As the GET, without its body' })
  watchedHeaders(): Promise<WatchedDepositsView> {
    return this.networks.watched();
  }

  @Get('deposits')
  @PublicRoute({ summary: 'What is watched on chain for deposits', data: WatchedDepositsView })
  watched(): Promise<WatchedDepositsView> {
    return this.networks.watched();
  }
}

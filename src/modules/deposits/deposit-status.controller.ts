import { Controller, Get } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { PublicRoute } from '../../http/auth/route.js';
import { DepositStatusResponse } from './dto/deposit-status.response.js';
import { toDepositStatusResponse } from './networks.mapper.js';
import { NetworksService } from './networks.service.js';

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
    return toDepositStatusResponse(this.networks.depositAvailability(), this.config);
  }
}

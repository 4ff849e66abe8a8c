import { Controller, Get } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { PublicRoute } from '../../http/auth/route.js';
import { DepositPoller } from './deposit-poller.js';
import { DepositStatusResponse, toDepositStatusResponse } from './dto/deposit-status.response.js';

@Controller('api/deposits')
export class DepositStatusController {
  constructor(
    private readonly config: AppConfig,
    private readonly poller: DepositPoller,
  ) {}

  /** Reads the result of the last poll; calls neither the provider nor the chain. */
  @Get('status')
  @PublicRoute({
    summary: 'Whether deposits are accepted, and the terms of each network',
    data: DepositStatusResponse,
  })
  status(): DepositStatusResponse {
    return toDepositStatusResponse(this.config, {
      provider: this.poller.answers('provider'),
      chain: this.poller.answers('chain'),
    });
  }
}

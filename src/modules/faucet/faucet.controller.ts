import { Body, Controller, Get, Post, Query, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PublicRoute } from '../../http/auth/route.js';
import { FaucetOpenGuard } from './faucet-open.guard.js';
import { FaucetStateService } from './faucet-state.service.js';
import { FaucetBalanceResponse, FaucetStatusResponse } from './dto/faucet-state.response.js';
import { FaucetHistoryQuery, FaucetRequestRequest } from './dto/faucet.request.js';
import { FaucetService } from './faucet.service.js';
import { FaucetHistoryResponse, FaucetPayoutResponse } from './dto/payout.response.js';

@ApiTags('faucet')
@Controller('api/faucet')
@UseGuards(FaucetOpenGuard)
export class FaucetController {
  constructor(
    private readonly faucet: FaucetService,
    private readonly state: FaucetStateService,
  ) {}

  @Post('request')
  @PublicRoute({
    summary: 'Sends test USDC to an address, once in 24 hours; development only',
    data: FaucetPayoutResponse,
    rateClass: 'faucet',
    errors: [
      'VALIDATION_ERROR',
      'MISSING_REQUIRED_FIELD',
      'INVALID_WALLET_ADDRESS',
      'INVALID_AMOUNT',
      'INSUFFICIENT_FAUCET_BALANCE',
      'BLOCKCHAIN_ERROR',
      'FAUCET_DISABLED',
    ],
  })
  request(@Body() dto: FaucetRequestRequest): Promise<FaucetPayoutResponse> {
    return this.faucet.request(dto);
  }

  @Get('status')
  @PublicRoute({
    summary: 'Terms, balance and statistics of the faucet; development only',
    data: FaucetStatusResponse,
    rateClass: 'faucet',
    errors: ['FAUCET_DISABLED', 'BLOCKCHAIN_ERROR'],
  })
  status(): Promise<FaucetStatusResponse> {
    return this.state.status();
  }

  @Get('balance')
  @PublicRoute({
    summary: 'Balance of the faucet and an estimate of how long it lasts; development only',
    data: FaucetBalanceResponse,
    rateClass: 'faucet',
    errors: ['FAUCET_DISABLED', 'BLOCKCHAIN_ERROR'],
  })
  balance(): Promise<FaucetBalanceResponse> {
    return this.state.balance();
  }

  @Get('history')
  @PublicRoute({
    summary: 'Payouts of the faucet; development only',
    data: FaucetHistoryResponse,
    rateClass: 'faucet',
    errors: ['FAUCET_DISABLED', 'INVALID_PAGINATION'],
  })
  history(@Query() query: FaucetHistoryQuery): Promise<FaucetHistoryResponse> {
    return this.state.history(query);
  }
}

import { Body, Controller, Get, Post, Query, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PublicRoute } from '../../http/auth/route.js';
import { FaucetOpenGuard } from './faucet-open.guard.js';
import { FaucetState } from './faucet-state.service.js';
import { FaucetBalanceView, FaucetStatusView } from './dto/faucet-state.response.js';
import { FaucetHistoryQuery, FaucetRequestDto } from './dto/faucet.request.js';
import { Faucet } from './faucet.service.js';
import { FaucetHistoryView, FaucetPayoutView } from './dto/payout.response.js';

@ApiTags('faucet')
@Controller('api/faucet')
@UseGuards(FaucetOpenGuard)
export class FaucetController {
  constructor(
    private readonly faucet: Faucet,
    private readonly state: FaucetState,
  ) {}

  @Post('request')
  @PublicRoute({
    summary: 'Sends test USDC to an address, once in 24 hours; development only',
    data: FaucetPayoutView,
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
  request(@Body() dto: FaucetRequestDto): Promise<FaucetPayoutView> {
    return this.faucet.request(dto);
  }

  @Get('status')
  @PublicRoute({
    summary: 'Terms, balance and statistics of the faucet; development only',
    data: FaucetStatusView,
    rateClass: 'faucet',
    errors: ['FAUCET_DISABLED', 'BLOCKCHAIN_ERROR'],
  })
  status(): Promise<FaucetStatusView> {
    return this.state.status();
  }

  @Get('balance')
  @PublicRoute({
    summary: 'Balance of the faucet and an estimate of how long it lasts; development only',
    data: FaucetBalanceView,
    rateClass: 'faucet',
    errors: ['FAUCET_DISABLED', 'BLOCKCHAIN_ERROR'],
  })
  balance(): Promise<FaucetBalanceView> {
    return this.state.balance();
  }

  @Get('history')
  @PublicRoute({
    summary: 'Payouts of the faucet; development only',
    data: FaucetHistoryView,
    rateClass: 'faucet',
    errors: ['FAUCET_DISABLED', 'INVALID_PAGINATION'],
  })
  history(@Query() query: FaucetHistoryQuery): Promise<FaucetHistoryView> {
    return this.state.history(query);
  }
}

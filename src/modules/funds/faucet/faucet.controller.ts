import { Body, Controller, Get, Injectable, Post, Query, UseGuards, type CanActivate } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { throwError } from '../../../common/errors/domain-error.js';
import { AppConfig } from '../../../config/app-config.js';
import { PublicRoute } from '../../../http/auth/route.js';
import { FaucetHistoryQuery, RequestPayoutRequest } from './dto/faucet.request.js';
import {
  FaucetBalanceResponse,
  FaucetHistoryResponse,
  FaucetPayoutResponse,
  FaucetStatusResponse,
} from './dto/faucet.response.js';
import { FaucetAccountClient } from './faucet-account.client.js';
import {
  toFaucetBalanceResponse,
  toFaucetHistoryResponse,
  toFaucetPayoutResponse,
  toFaucetStatusResponse,
} from './faucet.mapper.js';
import { FaucetService } from './faucet.service.js';

/** Rejects every request in production and without a paying account, before the request is validated. */
@Injectable()
class FaucetOpenGuard implements CanActivate {
  constructor(private readonly account: FaucetAccountClient) {}

  canActivate(): true {
    return this.account.isOpen ? true : throwError('FAUCET_DISABLED');
  }
}

@ApiTags('faucet')
@Controller('api/faucet')
@UseGuards(FaucetOpenGuard)
export class FaucetController {
  constructor(
    private readonly config: AppConfig,
    private readonly faucet: FaucetService,
  ) {}

  @Post('request')
  @PublicRoute({
    operationId: 'requestTestTokens',
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
  async request(@Body() body: RequestPayoutRequest): Promise<FaucetPayoutResponse> {
    return toFaucetPayoutResponse(await this.faucet.requestPayout(body), this.config.CHAIN_ID);
  }

  @Get('status')
  @PublicRoute({
    summary: 'Limits, balance and statistics of the faucet; development only',
    data: FaucetStatusResponse,
    rateClass: 'faucet',
    errors: ['FAUCET_DISABLED', 'BLOCKCHAIN_ERROR'],
  })
  async status(): Promise<FaucetStatusResponse> {
    return toFaucetStatusResponse(await this.faucet.getStatus());
  }

  @Get('balance')
  @PublicRoute({
    summary: 'Balance of the faucet and an estimate of how long it lasts; development only',
    data: FaucetBalanceResponse,
    rateClass: 'faucet',
    errors: ['FAUCET_DISABLED', 'BLOCKCHAIN_ERROR'],
  })
  async balance(): Promise<FaucetBalanceResponse> {
    return toFaucetBalanceResponse(await this.faucet.getBalance());
  }

  @Get('history')
  @PublicRoute({
    operationId: 'listFaucetPayouts',
    summary: 'Payouts of the faucet; development only',
    data: FaucetHistoryResponse,
    rateClass: 'faucet',
    errors: ['FAUCET_DISABLED', 'INVALID_PAGINATION'],
  })
  async history(@Query() query: FaucetHistoryQuery): Promise<FaucetHistoryResponse> {
    return toFaucetHistoryResponse(await this.faucet.listPayouts(query), query, this.config.CHAIN_ID);
  }
}

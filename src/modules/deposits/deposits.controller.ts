import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentUser, type UserPrincipal } from '../../http/auth/principal.js';
import { UserRoute } from '../../http/auth/route.js';
import type { EnvelopedResponse } from '../../http/response/enveloped-response.js';
import { RateLimits } from '../../http/throttling/rate-limits.js';
import { DepositAddressResponse } from './dto/deposit-address.response.js';
import { DepositAddressesService } from './deposit-addresses.service.js';
import { DepositClaimsService } from './deposit-claims.service.js';
import { DepositClaimResponse, DepositSummaryResponse, DepositResponse } from './dto/deposit.response.js';
import { DepositAddressQuery, DepositClaimRequest, DepositListQuery } from './dto/deposits.request.js';
import { DepositQueries } from './deposits.queries.js';

@Controller('api/user')
export class DepositsController {
  constructor(
    private readonly addresses: DepositAddressesService,
    private readonly claims: DepositClaimsService,
    private readonly queries: DepositQueries,
    private readonly rateLimits: RateLimits,
  ) {}

  @Get('deposits/address')
  @UserRoute({
    summary: "The user's own deposit address for a currency and network; made on first use, kept for good",
    data: DepositAddressResponse,
    errors: ['VALIDATION_ERROR', 'CURRENCY_NOT_SUPPORTED', 'NETWORK_NOT_SUPPORTED', 'CRYPTO2B_API_ERROR'],
  })
  address(
    @CurrentUser() user: UserPrincipal,
    @Query() query: DepositAddressQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DepositAddressResponse> {
    // The limit of ten an hour counts addresses that have to be made, not looks at those that exist.
    return this.addresses.show(user.id, query, () => this.rateLimits.countRequest('address', response));
  }

  @Get('deposits')
  @UserRoute({
    summary: "The user's deposits",
    data: [DepositResponse],
    paged: true,
    summaryResponse: DepositSummaryResponse,
    errors: ['VALIDATION_ERROR', 'INVALID_PAGINATION', 'INVALID_DATE_RANGE'],
  })
  list(
    @CurrentUser() user: UserPrincipal,
    @Query() query: DepositListQuery,
  ): Promise<EnvelopedResponse<DepositResponse[]>> {
    return this.queries.listOf(user.id, query);
  }

  @Post('blockchain/deposit')
  @UserRoute({
    summary:
      'Claim a transaction to my ERC20 deposit address; it is credited after the chain has confirmed it',
    idempotent: true,
    data: DepositClaimResponse,
    status: 201,
    errors: [
      'VALIDATION_ERROR',
      'MISSING_REQUIRED_FIELD',
      'INVALID_TX_HASH',
      'INVALID_AMOUNT',
      'INVALID_WALLET_ADDRESS',
      'DUPLICATE_DEPOSIT',
      'LIMIT_REACHED',
      'BLOCKCHAIN_ERROR',
      'CRYPTO2B_API_ERROR',
    ],
  })
  claim(
    @CurrentUser() user: UserPrincipal,
    @Body() dto: DepositClaimRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DepositClaimResponse> {
    return this.claims.claim(user.id, dto, () => this.rateLimits.countRequest('address', response));
  }
}

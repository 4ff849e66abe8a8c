import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { AppConfig } from '../../../config/app-config.js';
import {
  CurrentAdmin,
  CurrentUser,
  type AdminPrincipal,
  type UserPrincipal,
} from '../../../http/auth/principal.js';
import { AdminRoute, UserRoute } from '../../../http/auth/route.js';
import { IdParam } from '../../../http/request/path-params.js';
import { streamCsv } from '../../../http/response/csv-list.js';
import type { EnvelopedResponse, RawResponse } from '../../../http/response/enveloped-response.js';
import { RateLimits } from '../../../http/throttling/rate-limits.js';
import { DepositAddressesService, type CountCreation } from './deposit-addresses.service.js';
import { DepositClaimsService } from './deposit-claims.service.js';
import {
  toAdminDepositPage,
  toAdminDepositResponse,
  toDepositAddressResponse,
  toDepositClaimResponse,
  toDepositPage,
  toDepositResponse,
} from './deposits.mapper.js';
import { DepositsService, AdminDepositsService } from './deposits.service.js';
import {
  AdminDepositResponse,
  AdminDepositSummaryResponse,
  DepositAddressResponse,
  DepositClaimResponse,
  DepositResponse,
  DepositSummaryResponse,
} from './dto/deposit.response.js';
import {
  AdminDepositsQuery,
  DepositAddressQuery,
  DepositClaimRequest,
  DepositListQuery,
} from './dto/deposits.request.js';

@Controller('api/user')
export class DepositsController {
  constructor(
    private readonly config: AppConfig,
    private readonly addresses: DepositAddressesService,
    private readonly claims: DepositClaimsService,
    private readonly deposits: DepositsService,
    private readonly rateLimits: RateLimits,
  ) {}

  @Get('deposits/address')
  @UserRoute({
    scope: 'deposits:read',
    summary: "The user's own deposit address for a currency and network; created on first use, never changed",
    data: DepositAddressResponse,
    errors: ['VALIDATION_ERROR', 'CURRENCY_NOT_SUPPORTED', 'NETWORK_NOT_SUPPORTED', 'CRYPTO2B_API_ERROR'],
  })
  async address(
    @CurrentUser() user: UserPrincipal,
    @Query() query: DepositAddressQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DepositAddressResponse> {
    return toDepositAddressResponse(
      await this.addresses.findOrCreateRequested(user.id, query, this.creationCounter(response)),
      this.config,
    );
  }

  @Get('deposits')
  @UserRoute({
    scope: 'deposits:read',
    summary: "The user's deposits",
    data: [DepositResponse],
    paged: true,
    summaryResponse: DepositSummaryResponse,
    errors: ['VALIDATION_ERROR', 'INVALID_PAGINATION', 'INVALID_DATE_RANGE'],
  })
  async list(
    @CurrentUser() user: UserPrincipal,
    @Query() query: DepositListQuery,
  ): Promise<EnvelopedResponse<DepositResponse[]>> {
    return toDepositPage(await this.deposits.listDeposits(user.id, query), query, this.config);
  }

  @Get('deposits/:id')
  @UserRoute({
    scope: 'deposits:read',
    summary: "One of the user's deposits",
    data: DepositResponse,
    errors: ['DEPOSIT_NOT_FOUND', 'PERMISSION_DENIED'],
  })
  async detail(
    @CurrentUser() user: UserPrincipal,
    @IdParam('deposit', 'DEPOSIT_NOT_FOUND') id: string,
  ): Promise<DepositResponse> {
    const deposit = await this.deposits.getDeposit(id, user.id);
    return toDepositResponse(deposit, this.config, deposit.language);
  }

  @Post('blockchain/deposit')
  @UserRoute({
    operationId: 'claimDeposit',
    summary:
      "Claim a transaction to the user's ERC20 deposit address; it is credited after the chain has confirmed it",
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
  async claim(
    @CurrentUser() user: UserPrincipal,
    @Body() body: DepositClaimRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DepositClaimResponse> {
    return toDepositClaimResponse(
      await this.claims.claimDeposit(user.id, body, this.creationCounter(response)),
    );
  }

  /** RATE_LIMIT_ADDRESS limits the requests that create a deposit address, besides the rate limit of their route. */
  private creationCounter(response: Response): CountCreation {
    return () => this.rateLimits.countRequest('address', response);
  }
}

@Controller('api/admin/deposits')
export class AdminDepositsController {
  constructor(
    private readonly deposits: AdminDepositsService,
    private readonly config: AppConfig,
  ) {}

  @Get()
  @AdminRoute('transactions:read', {
    summary: 'Deposits of all users, with a summary of all that the filter selects',
    data: [AdminDepositResponse],
    paged: true,
    csv: true,
    summaryResponse: AdminDepositSummaryResponse,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async list(
    @Query() query: AdminDepositsQuery,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<EnvelopedResponse<AdminDepositResponse[]> | RawResponse> {
    if (query.format === 'csv')
      return streamCsv({
        fileName: 'deposits.csv',
        model: AdminDepositResponse,
        batches: this.deposits.exportDeposits(query, admin),
        toItem: (row) => toAdminDepositResponse(row, this.config),
      });
    return toAdminDepositPage(await this.deposits.listDeposits(query), query, this.config);
  }
}

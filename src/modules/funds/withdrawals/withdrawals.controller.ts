import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../../http/auth/principal.js';
import { UserRoute } from '../../../http/auth/route.js';
import type { EnvelopedResponse } from '../../../http/response/enveloped-response.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { IdParam } from '../../../http/request/path-params.js';
import {
  RequestedWithdrawalResponse,
  WithdrawalDetailResponse,
  WithdrawalListResponse,
} from './dto/withdrawal.response.js';
import { CreateWithdrawalRequest, WithdrawalsQuery } from './dto/withdrawals.request.js';
import { toRequestedWithdrawal, toWithdrawalDetailResponse, toWithdrawalPage } from './withdrawals.mapper.js';
import { WithdrawalsService } from './withdrawals.service.js';

const Id = () => IdParam('withdrawal', 'WITHDRAWAL_NOT_FOUND');

@Controller('api/user/withdrawals')
export class WithdrawalsController {
  constructor(
    private readonly withdrawals: WithdrawalsService,
    private readonly stepUps: StepUps,
  ) {}

  @Post()
  @UserRoute({
    scope: 'withdrawals:write',
    summary:
      'Request a withdrawal; its amount is reserved. With an API key, toAddress has to be a usable address of the address book.',
    idempotent: 'in-transaction',
    stepUp: true,
    data: RequestedWithdrawalResponse,
    status: 201,
    errors: [
      'VALIDATION_ERROR',
      'INVALID_AMOUNT',
      { code: 'INVALID_AMOUNT', status: 422 }, // below the minimum
      'INVALID_WALLET_ADDRESS',
      'SECURITY_HOLD',
      'ADDRESS_NOT_ALLOWED',
      'INSUFFICIENT_BALANCE',
      'WITHDRAWAL_LIMIT_EXCEEDED',
      'WITHDRAWALS_PAUSED',
      'INVALID_STATE', // screening has blocked toAddress
      'SERVICE_UNAVAILABLE',
    ],
    unexpected: 'WITHDRAWAL_ERROR',
  })
  async request(
    @CurrentUser() user: UserPrincipal,
    @Body() body: CreateWithdrawalRequest,
    @StepUpToken() token: string | undefined,
  ): Promise<EnvelopedResponse<RequestedWithdrawalResponse>> {
    const isAddressBookRequired = user.apiKey !== undefined; // a stolen key can pay only addresses of the user's address book
    const stepUp = this.stepUps.checkOf(user, token, 'withdrawal.request');
    return toRequestedWithdrawal(
      await this.withdrawals.requestWithdrawal(user.id, body, stepUp, { isAddressBookRequired }),
    );
  }

  @Get()
  @UserRoute({
    scope: 'withdrawals:read',
    summary: "The user's withdrawals, newest first",
    data: WithdrawalListResponse,
    paged: true,
    errors: ['INVALID_PAGINATION'],
  })
  async list(
    @CurrentUser() user: UserPrincipal,
    @Query() query: WithdrawalsQuery,
  ): Promise<EnvelopedResponse<WithdrawalListResponse>> {
    return toWithdrawalPage(await this.withdrawals.listWithdrawals(user.id, query), query);
  }

  @Get(':id')
  @UserRoute({
    scope: 'withdrawals:read',
    summary: "One of the user's withdrawals",
    data: WithdrawalDetailResponse,
    errors: ['PERMISSION_DENIED', 'WITHDRAWAL_NOT_FOUND'],
  })
  async detail(@CurrentUser() user: UserPrincipal, @Id() id: string): Promise<WithdrawalDetailResponse> {
    return toWithdrawalDetailResponse(await this.withdrawals.getWithdrawal(id, user.id));
  }

  @Post(':id/cancel')
  @UserRoute({
    scope: 'withdrawals:write',
    summary: 'Cancel a pending withdrawal; its amount is available again',
    idempotent: 'in-transaction',
    data: WithdrawalDetailResponse,
    errors: ['PERMISSION_DENIED', 'WITHDRAWAL_NOT_FOUND', 'INVALID_STATE', 'SERVICE_UNAVAILABLE'],
  })
  async cancel(@CurrentUser() user: UserPrincipal, @Id() id: string): Promise<WithdrawalDetailResponse> {
    return toWithdrawalDetailResponse(await this.withdrawals.cancelWithdrawal(id, user.id));
  }
}

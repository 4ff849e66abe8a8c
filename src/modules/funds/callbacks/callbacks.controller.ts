import { Controller, Post, Req } from '@nestjs/common';
import type { RequestWithRawBody } from '../../../http/request/body-reader.js';
import { PublicRoute, type RouteOptions } from '../../../http/auth/route.js';
import { PathParam } from '../../../http/request/path-params.js';
import { DepositBody, WithdrawalBody, YieldBody } from './callback-body.decorator.js';
import { WebhookReceiptResponse } from './dto/webhook-event.response.js';
import { CallbacksService } from './callbacks.service.js';

const CALLBACK: Omit<RouteOptions, 'summary'> = {
  data: WebhookReceiptResponse,
  rateClass: 'none', // only signed requests are accepted
  body: 'any-type',
  ignoresQuery: true,
  errors: ['NOT_FOUND', 'VALIDATION_ERROR', 'WEBHOOK_SIGNATURE_INVALID'],
};

const DepositProvider = () =>
  PathParam({ name: 'provider', description: 'name of the deposit provider', example: 'crypto2b' });
const CustodyProvider = () =>
  PathParam({ name: 'provider', description: 'name of the custody provider', example: 'custody' });

const toReceipt = (isNew: boolean): WebhookReceiptResponse => ({ received: true, duplicate: !isNew });

/** The names of the providers are configured, therefore the path has a parameter. */
@Controller('api/webhooks/:provider')
export class CallbacksController {
  constructor(private readonly callbacks: CallbacksService) {}

  @Post('deposit')
  @DepositBody()
  @PublicRoute({
    operationId: 'receiveDepositCallback',
    summary: 'Callback of the deposit provider about a deposit; signed by headers X-Processing-*',
    ...CALLBACK,
  })
  deposit(
    @DepositProvider() provider: string,
    @Req() request: RequestWithRawBody,
  ): Promise<WebhookReceiptResponse> {
    return this.callbacks.receiveFromDepositProvider('deposit', provider, request).then(toReceipt);
  }

  @Post('withdrawal')
  @WithdrawalBody()
  @PublicRoute({
    operationId: 'receiveWithdrawalCallback',
    summary: 'Callback of the deposit provider about a withdrawal; signed by headers X-Processing-*',
    ...CALLBACK,
  })
  withdrawal(
    @DepositProvider() provider: string,
    @Req() request: RequestWithRawBody,
  ): Promise<WebhookReceiptResponse> {
    return this.callbacks.receiveFromDepositProvider('withdrawal', provider, request).then(toReceipt);
  }

  @Post('yield')
  @YieldBody()
  @PublicRoute({
    operationId: 'receiveYieldCallback',
    summary:
      'Callback of the custody provider about the yield of a day; signed according to Standard Webhooks',
    ...CALLBACK,
  })
  yield(
    @CustodyProvider() provider: string,
    @Req() request: RequestWithRawBody,
  ): Promise<WebhookReceiptResponse> {
    return this.callbacks.receiveFromCustodyProvider(provider, request).then(toReceipt);
  }
}

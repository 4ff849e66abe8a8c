import { Controller, Param, Post, Req } from '@nestjs/common';
import type { RequestWithRawBody } from '../../http/request/body-reader.js';
import { PublicRoute, type RouteOptions } from '../../http/auth/route.js';
import { DepositBody, WithdrawalBody, YieldBody } from './webhook.documentation.js';
import { WebhookReceiptResponse } from './dto/webhook.response.js';
import { WebhooksService } from './webhooks.service.js';

const CALLBACK: Omit<RouteOptions, 'summary'> = {
  data: WebhookReceiptResponse,
  rateClass: 'none', // the signature is the limit
  errors: ['NOT_FOUND', 'VALIDATION_ERROR', 'WEBHOOK_SIGNATURE_INVALID'],
};

/** The providers' names are configuration, so they stand in the path as a parameter. */
@Controller('api/webhooks/:provider')
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Post('deposit')
  @DepositBody()
  @PublicRoute({
    summary: 'Callback of the deposit provider about a deposit; signed by headers X-Processing-*',
    ...CALLBACK,
  })
  deposit(
    @Param('provider') provider: string,
    @Req() request: RequestWithRawBody,
  ): Promise<WebhookReceiptResponse> {
    return this.webhooks.fromDepositProvider('deposit', provider, request);
  }

  @Post('withdrawal')
  @WithdrawalBody()
  @PublicRoute({
    summary: 'Callback of the deposit provider about a withdrawal; signed by headers X-Processing-*',
    ...CALLBACK,
  })
  withdrawal(
    @Param('provider') provider: string,
    @Req() request: RequestWithRawBody,
  ): Promise<WebhookReceiptResponse> {
    return this.webhooks.fromDepositProvider('withdrawal', provider, request);
  }

  @Post('yield')
  @YieldBody()
  @PublicRoute({
    summary:
      'Callback of the custody provider about the yield of a day; signed according to Standard Webhooks',
    ...CALLBACK,
  })
  yield(
    @Param('provider') provider: string,
    @Req() request: RequestWithRawBody,
  ): Promise<WebhookReceiptResponse> {
    return this.webhooks.fromCustodyProvider(provider, request);
  }
}

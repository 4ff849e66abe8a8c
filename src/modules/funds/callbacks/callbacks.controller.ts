import { applyDecorators, Controller, Get, Post, Query, Req } from '@nestjs/common';
import { ApiBody, ApiHeader } from '@nestjs/swagger';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute, PublicRoute, type RouteOptions } from '../../../http/auth/route.js';
import type { RequestWithRawBody } from '../../../http/request/body-reader.js';
import { IdParam, PathParam } from '../../../http/request/path-params.js';
import { pagedResponse, type EnvelopedResponse } from '../../../http/response/enveloped-response.js';
import { toResponse, toResponses } from '../../../http/response/to-response.js';
import { CallbacksService, WebhookEventsService } from './callbacks.service.js';
import { CUSTODY_PROVIDER_HEADERS, YIELD_CALLBACK } from './domain/provider-documents.js';
import {
  DEPOSIT_CALLBACK,
  DEPOSIT_PROVIDER_HEADERS,
  WITHDRAWAL_CALLBACK,
} from './domain/deposit-document.js';
import type { HeaderDescription } from './domain/provider-document-parts.js';
import {
  WebhookEventDetailResponse,
  WebhookEventResponse,
  WebhookReceiptResponse,
} from './dto/webhook-event.response.js';
import { WebhookEventsQuery } from './dto/webhook-events.request.js';

// Documents the callbacks in the OpenAPI document; docs/providers describes them in detail. The signature covers the exact bytes
// of the body, so that the routes have no request classes.

/** Documents a signed callback with one example. Other fields are allowed and ignored. */
function signedBody(
  headers: readonly HeaderDescription[],
  description: string,
  example: Record<string, unknown>,
): MethodDecorator {
  return applyDecorators(
    ...headers.map(({ name, description: meaning, example: value, optional }) =>
      ApiHeader({
        name,
        description: meaning,
        required: !optional,
        schema: { type: 'string', example: value },
      }),
    ),
    ApiBody({
      description,
      required: true,
      schema: {
        type: 'object',
        additionalProperties: true,
        required: Object.keys(example),
        properties: Object.fromEntries(
          Object.entries(example).map(([name, value]) => [
            name,
            { type: typeof value as 'object' | 'string' },
          ]),
        ),
        example,
      },
    }),
  );
}

const DepositBody = () =>
  signedBody(
    DEPOSIT_PROVIDER_HEADERS,
    'The state of a deposit at the provider. Amounts are JSON numbers and are read without loss.',
    DEPOSIT_CALLBACK,
  );

const WithdrawalBody = () =>
  signedBody(
    DEPOSIT_PROVIDER_HEADERS,
    'The result of a withdrawal. Only `Failed` and `Rejected` change its state. `foreignId`, or else ' +
      '`paymentOrderId`, is the id of the withdrawal.',
    WITHDRAWAL_CALLBACK,
  );

const YieldBody = () =>
  signedBody(
    CUSTODY_PROVIDER_HEADERS,
    'The yearly rate that a strategy achieved on a day, and optionally the amount in USDC (`realisedAmount`). Both are text. A rate or an amount beyond the tolerance waits for an admin.',
    YIELD_CALLBACK,
  );

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

const Id = () => IdParam('callback', 'WEBHOOK_EVENT_NOT_FOUND');

@Controller('api/admin/webhook-events')
export class WebhookEventsController {
  constructor(private readonly events: WebhookEventsService) {}

  @Get()
  @AdminRoute('audit:read', {
    summary: 'Callbacks of the providers with the result of their processing, the newest first',
    data: [WebhookEventResponse],
    paged: true,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async list(@Query() query: WebhookEventsQuery): Promise<EnvelopedResponse<WebhookEventResponse[]>> {
    const { rows, ...page } = await this.events.listEvents(query);
    return pagedResponse(toResponses(WebhookEventResponse, rows), query, page);
  }

  @Get(':id')
  @AdminRoute('audit:read', {
    summary: 'One callback with its original body',
    data: WebhookEventDetailResponse,
    errors: ['WEBHOOK_EVENT_NOT_FOUND'],
  })
  async get(@Id() id: string): Promise<WebhookEventDetailResponse> {
    return toResponse(WebhookEventDetailResponse, await this.events.getEvent(id));
  }

  @Post(':id/replay')
  @AdminRoute('*', {
    summary: 'Process a failed or ignored callback again',
    data: WebhookEventDetailResponse,
    errors: ['WEBHOOK_EVENT_NOT_FOUND', 'INVALID_STATE'],
  })
  async replay(@Id() id: string, @CurrentAdmin() admin: AdminPrincipal): Promise<WebhookEventDetailResponse> {
    return toResponse(WebhookEventDetailResponse, await this.events.replayEvent(id, admin));
  }
}

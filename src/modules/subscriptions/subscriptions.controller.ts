import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../http/auth/principal.js';
import { UserRoute } from '../../http/auth/route.js';
import { EnvelopedResponse } from '../../http/response/enveloped-response.js';
import { paginate, type Rows } from '../../http/request/pagination.js';
import { IdPipe } from '../../http/request/id.pipe.js';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';
import {
  DeletedWebhookResponse,
  DeliveryResponse,
  toDeliveryResponse,
  WebhookResponse,
  toWebhookResponse,
  WebhookWithSecretResponse,
  toWebhookWithSecretResponse,
} from './dto/subscription.response.js';
import { ChangeWebhookRequest, DeliveriesQuery, SubscribeRequest } from './dto/subscriptions.request.js';
import { SubscriptionsQueries, type Delivery } from './subscriptions.queries.js';
import { SubscriptionsService } from './subscriptions.service.js';

const Id = () => Param('id', new IdPipe('WEBHOOK_NOT_FOUND'));
const DeliveryId = () => Param('deliveryId', new IdPipe('WEBHOOK_DELIVERY_NOT_FOUND'));
const OF_ONE: ErrorCode[] = ['WEBHOOK_NOT_FOUND', 'PERMISSION_DENIED'];

@Controller('api/user/webhooks')
export class SubscriptionsController {
  constructor(
    private readonly subscriptions: SubscriptionsService,
    private readonly queries: SubscriptionsQueries,
  ) {}

  @Get()
  @UserRoute({ summary: 'My webhooks, at most ten, the oldest first', data: [WebhookResponse] })
  async list(@CurrentUser() user: UserPrincipal): Promise<WebhookResponse[]> {
    return (await this.queries.list(user.id)).map(toWebhookResponse);
  }

  @Post()
  @UserRoute({
    summary: 'Create a webhook: events are sent to its URL, signed according to Standard Webhooks',
    status: 201,
    data: WebhookWithSecretResponse,
    errors: ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async create(
    @CurrentUser() user: UserPrincipal,
    @Body() body: SubscribeRequest,
  ): Promise<WebhookWithSecretResponse> {
    return toWebhookWithSecretResponse(await this.subscriptions.create(user.id, body));
  }

  @Get(':id')
  @UserRoute({ summary: 'One of my webhooks', data: WebhookResponse, errors: OF_ONE })
  async get(@CurrentUser() user: UserPrincipal, @Id() id: string): Promise<WebhookResponse> {
    return toWebhookResponse(await this.queries.get(user.id, id));
  }

  @Put(':id')
  @UserRoute({
    summary: 'Change a webhook; an absent field keeps its value',
    data: WebhookResponse,
    errors: [...OF_ONE, 'VALIDATION_ERROR'],
  })
  async change(
    @CurrentUser() user: UserPrincipal,
    @Id() id: string,
    @Body() body: ChangeWebhookRequest,
  ): Promise<WebhookResponse> {
    return toWebhookResponse(await this.subscriptions.change(user.id, id, body));
  }

  @Delete(':id')
  @UserRoute({ summary: 'Delete a webhook and its deliveries', data: DeletedWebhookResponse, errors: OF_ONE })
  async delete(@CurrentUser() user: UserPrincipal, @Id() id: string): Promise<DeletedWebhookResponse> {
    return this.subscriptions.delete(user.id, id).then(() => ({ id, deleted: true }));
  }

  @Post(':id/rotate-secret')
  @UserRoute({
    summary: 'Replace the secret; for 24 hours the previous secret signs, too',
    data: WebhookWithSecretResponse,
    errors: OF_ONE,
  })
  async rotateSecret(
    @CurrentUser() user: UserPrincipal,
    @Id() id: string,
  ): Promise<WebhookWithSecretResponse> {
    return toWebhookWithSecretResponse(await this.subscriptions.rotateSecret(user.id, id));
  }

  @Post(':id/test')
  @UserRoute({
    summary: 'Send the event webhook.test',
    status: 201,
    data: DeliveryResponse,
    rateClass: 'webhook',
    errors: [...OF_ONE, 'INVALID_STATE'],
  })
  async test(@CurrentUser() user: UserPrincipal, @Id() id: string): Promise<DeliveryResponse> {
    return toDeliveryResponse(await this.subscriptions.test(user.id, id));
  }

  @Get(':id/deliveries')
  @UserRoute({
    summary: 'Deliveries of the last thirty days and pending ones, the newest first',
    data: [DeliveryResponse],
    paged: true,
    errors: [...OF_ONE, 'INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async deliveries(
    @CurrentUser() user: UserPrincipal,
    @Id() id: string,
    @Query() query: DeliveriesQuery,
  ): Promise<EnvelopedResponse<DeliveryResponse[]>> {
    return pageOf(query, await this.queries.deliveries(user.id, id, query));
  }

  @Post(':id/deliveries/:deliveryId/redeliver')
  @UserRoute({
    summary: 'Send an event again with the same webhook-id',
    data: DeliveryResponse,
    rateClass: 'webhook',
    errors: [...OF_ONE, 'WEBHOOK_DELIVERY_NOT_FOUND', 'INVALID_STATE'],
  })
  async redeliver(
    @CurrentUser() user: UserPrincipal,
    @Id() id: string,
    @DeliveryId() deliveryId: string,
  ): Promise<DeliveryResponse> {
    return toDeliveryResponse(await this.subscriptions.redeliver(user.id, id, deliveryId));
  }
}

function pageOf(
  { page, limit }: DeliveriesQuery,
  { rows, total }: Rows<Delivery>,
): EnvelopedResponse<DeliveryResponse[]> {
  return new EnvelopedResponse(rows.map(toDeliveryResponse), {
    pagination: { ...paginate(page, limit, total) },
  });
}

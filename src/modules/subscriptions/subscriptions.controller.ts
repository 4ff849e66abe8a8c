import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../http/auth/principal.js';
import { UserRoute } from '../../http/auth/route.js';
import { Answer } from '../../http/response/enveloped-response.js';
import { paginate, type Rows } from '../../http/request/pagination.js';
import { IdPipe } from '../../http/request/id.pipe.js';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';
import {
  DeletedWebhookView,
  DeliveryView,
  deliveryView,
  WebhookView,
  webhookView,
  WebhookWithSecretView,
  webhookWithSecretView,
} from './dto/subscription.response.js';
import { ChangeWebhookDto, DeliveriesQuery, SubscribeDto } from './dto/subscriptions.request.js';
import { SubscriptionsQueries, type Delivery } from './subscriptions.queries.js';
import { Subscriptions } from './subscriptions.service.js';

const Id = () => Param('id', new IdPipe('WEBHOOK_NOT_FOUND'));
const DeliveryId = () => Param('deliveryId', new IdPipe('WEBHOOK_DELIVERY_NOT_FOUND'));
const OF_ONE: ErrorCode[] = ['WEBHOOK_NOT_FOUND', 'PERMISSION_DENIED'];

@Controller('api/user/webhooks')
export class SubscriptionsController {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly queries: SubscriptionsQueries,
  ) {}

  @Get()
  @UserRoute({ summary: 'My webhooks, at most ten, the oldest first', data: [WebhookView] })
  async list(@CurrentUser() user: UserPrincipal): Promise<WebhookView[]> {
    return (await this.queries.list(user.id)).map(webhookView);
  }

  @Post()
  @UserRoute({
    summary: 'Create a webhook: events are sent to its URL, signed according to Standard Webhooks',
    status: 201,
    data: WebhookWithSecretView,
    errors: ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async create(
    @CurrentUser() user: UserPrincipal,
    @Body() body: SubscribeDto,
  ): Promise<WebhookWithSecretView> {
    return webhookWithSecretView(await this.subscriptions.create(user.id, body));
  }

  @Get(':id')
  @UserRoute({ summary: 'One of my webhooks', data: WebhookView, errors: OF_ONE })
  async get(@CurrentUser() user: UserPrincipal, @Id() id: string): Promise<WebhookView> {
    return webhookView(await this.queries.get(user.id, id));
  }

  @Put(':id')
  @UserRoute({
    summary: 'Change a webhook; an absent field keeps its value',
    data: WebhookView,
    errors: [...OF_ONE, 'VALIDATION_ERROR'],
  })
  async change(
    @CurrentUser() user: UserPrincipal,
    @Id() id: string,
    @Body() body: ChangeWebhookDto,
  ): Promise<WebhookView> {
    return webhookView(await this.subscriptions.change(user.id, id, body));
  }

  @Delete(':id')
  @UserRoute({ summary: 'Delete a webhook and its deliveries', data: DeletedWebhookView, errors: OF_ONE })
  async delete(@CurrentUser() user: UserPrincipal, @Id() id: string): Promise<DeletedWebhookView> {
    return this.subscriptions.delete(user.id, id).then(() => ({ id, deleted: true }));
  }

  @Post(':id/rotate-secret')
  @UserRoute({
    summary: 'Replace the secret; for 24 hours the previous secret signs, too',
    data: WebhookWithSecretView,
    errors: OF_ONE,
  })
  async rotateSecret(@CurrentUser() user: UserPrincipal, @Id() id: string): Promise<WebhookWithSecretView> {
    return webhookWithSecretView(await this.subscriptions.rotateSecret(user.id, id));
  }

  @Post(':id/test')
  @UserRoute({
    summary: 'Send the event webhook.test',
    status: 201,
    data: DeliveryView,
    rateClass: 'webhook',
    errors: [...OF_ONE, 'INVALID_STATE'],
  })
  async test(@CurrentUser() user: UserPrincipal, @Id() id: string): Promise<DeliveryView> {
    return deliveryView(await this.subscriptions.test(user.id, id));
  }

  @Get(':id/deliveries')
  @UserRoute({
    summary: 'Deliveries of the last thirty days and pending ones, the newest first',
    data: [DeliveryView],
    paged: true,
    errors: [...OF_ONE, 'INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async deliveries(
    @CurrentUser() user: UserPrincipal,
    @Id() id: string,
    @Query() query: DeliveriesQuery,
  ): Promise<Answer<DeliveryView[]>> {
    return pageOf(query, await this.queries.deliveries(user.id, id, query));
  }

  @Post(':id/deliveries/:deliveryId/redeliver')
  @UserRoute({
    summary: 'Send an event again with the same webhook-id',
    data: DeliveryView,
    rateClass: 'webhook',
    errors: [...OF_ONE, 'WEBHOOK_DELIVERY_NOT_FOUND', 'INVALID_STATE'],
  })
  async redeliver(
    @CurrentUser() user: UserPrincipal,
    @Id() id: string,
    @DeliveryId() deliveryId: string,
  ): Promise<DeliveryView> {
    return deliveryView(await this.subscriptions.redeliver(user.id, id, deliveryId));
  }
}

function pageOf({ page, limit }: DeliveriesQuery, { rows, total }: Rows<Delivery>): Answer<DeliveryView[]> {
  return new Answer(rows.map(deliveryView), { pagination: { ...paginate(page, limit, total) } });
}

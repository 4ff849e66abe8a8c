import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import type { ErrorCode } from '../../../common/errors/error-catalogue.js';
import { CurrentUser, type UserPrincipal } from '../../../http/auth/principal.js';
import { UserRoute } from '../../../http/auth/route.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { IdParam } from '../../../http/request/path-params.js';
import { pagedResponse, type EnvelopedResponse } from '../../../http/response/enveloped-response.js';
import { toResponse, toResponses } from '../../../http/response/to-response.js';
import {
  DeletedWebhookResponse,
  DeliveryResponse,
  WebhookResponse,
  WebhookWithSecretResponse,
} from './dto/webhook.response.js';
import { ChangeWebhookRequest, DeliveriesQuery, SubscribeRequest } from './dto/webhooks.request.js';
import type { WebhookDelivery } from './entities/webhook.entity.js';
import { WebhooksService, type SubscriptionWithSecret } from './webhooks.service.js';

const Id = () => IdParam('webhook', 'WEBHOOK_NOT_FOUND');
const DeliveryId = () => IdParam('delivery', 'WEBHOOK_DELIVERY_NOT_FOUND', { name: 'deliveryId' });
const ID_ERRORS: ErrorCode[] = ['WEBHOOK_NOT_FOUND', 'PERMISSION_DENIED'];

@Controller('api/user/webhooks')
export class WebhooksController {
  constructor(
    private readonly subscriptions: WebhooksService,
    private readonly stepUps: StepUps,
  ) {}

  @Get()
  @UserRoute({ summary: "The user's webhooks, at most ten, the oldest first", data: [WebhookResponse] })
  async list(@CurrentUser() user: UserPrincipal): Promise<WebhookResponse[]> {
    return toResponses(WebhookResponse, await this.subscriptions.listSubscriptions(user.id));
  }

  @Post()
  @UserRoute({
    summary: 'Create a webhook: events are sent to its URL, signed according to Standard Webhooks',
    status: 201,
    data: WebhookWithSecretResponse,
    stepUp: true,
    errors: ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async create(
    @CurrentUser() user: UserPrincipal,
    @Body() body: SubscribeRequest,
    @StepUpToken() token: string | undefined,
  ): Promise<WebhookWithSecretResponse> {
    const stepUp = this.stepUps.checkOf(user, token, 'webhook.create');
    return toWebhookWithSecretResponse(await this.subscriptions.createSubscription(user, body, stepUp));
  }

  @Get(':id')
  @UserRoute({ summary: "One of the user's webhooks", data: WebhookResponse, errors: ID_ERRORS })
  async get(@CurrentUser() user: UserPrincipal, @Id() id: string): Promise<WebhookResponse> {
    return toResponse(WebhookResponse, await this.subscriptions.getSubscription(user.id, id));
  }

  @Put(':id')
  @UserRoute({
    summary: 'Change a webhook; an absent field keeps its value',
    data: WebhookResponse,
    stepUp: true,
    errors: [...ID_ERRORS, 'VALIDATION_ERROR'],
  })
  async change(
    @CurrentUser() user: UserPrincipal,
    @Id() id: string,
    @Body() body: ChangeWebhookRequest,
    @StepUpToken() token: string | undefined,
  ): Promise<WebhookResponse> {
    const stepUp = this.stepUps.checkOf(user, token, 'webhook.change');
    return toResponse(WebhookResponse, await this.subscriptions.changeSubscription(user, id, body, stepUp));
  }

  @Delete(':id')
  @UserRoute({
    summary: 'Delete a webhook and its deliveries',
    data: DeletedWebhookResponse,
    stepUp: true,
    errors: ID_ERRORS,
  })
  async delete(
    @CurrentUser() user: UserPrincipal,
    @Id() id: string,
    @StepUpToken() token: string | undefined,
  ): Promise<DeletedWebhookResponse> {
    const stepUp = this.stepUps.checkOf(user, token, 'webhook.change');
    await this.subscriptions.deleteSubscription(user.id, id, stepUp);
    return { id, deleted: true };
  }

  @Post(':id/rotate-secret')
  @UserRoute({
    summary: 'Replace the secret; for 24 hours the previous secret signs, too',
    data: WebhookWithSecretResponse,
    stepUp: true,
    errors: ID_ERRORS,
  })
  async rotateSecret(
    @CurrentUser() user: UserPrincipal,
    @Id() id: string,
    @StepUpToken() token: string | undefined,
  ): Promise<WebhookWithSecretResponse> {
    const stepUp = this.stepUps.checkOf(user, token, 'webhook.change');
    return toWebhookWithSecretResponse(await this.subscriptions.rotateSecret(user.id, id, stepUp));
  }

  @Post(':id/test')
  @UserRoute({
    summary: 'Send the event webhook.test',
    status: 201,
    data: DeliveryResponse,
    rateClass: 'webhook',
    errors: [...ID_ERRORS, 'INVALID_STATE'],
  })
  async test(@CurrentUser() user: UserPrincipal, @Id() id: string): Promise<DeliveryResponse> {
    return toDeliveryResponse(await this.subscriptions.sendTestEvent(user.id, id));
  }

  @Get(':id/deliveries')
  @UserRoute({
    summary: 'Deliveries of the last thirty days, the newest first',
    data: [DeliveryResponse],
    paged: true,
    errors: [...ID_ERRORS, 'INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async deliveries(
    @CurrentUser() user: UserPrincipal,
    @Id() id: string,
    @Query() query: DeliveriesQuery,
  ): Promise<EnvelopedResponse<DeliveryResponse[]>> {
    const { rows, ...page } = await this.subscriptions.listDeliveries(user.id, id, query);
    return pagedResponse(rows.map(toDeliveryResponse), query, page);
  }

  @Post(':id/deliveries/:deliveryId/redeliver')
  @UserRoute({
    summary: 'Send an event again with the same webhook-id',
    data: DeliveryResponse,
    rateClass: 'webhook',
    errors: [...ID_ERRORS, 'WEBHOOK_DELIVERY_NOT_FOUND', 'INVALID_STATE'],
  })
  async redeliver(
    @CurrentUser() user: UserPrincipal,
    @Id() id: string,
    @DeliveryId() deliveryId: string,
  ): Promise<DeliveryResponse> {
    return toDeliveryResponse(await this.subscriptions.redeliver(user.id, id, deliveryId));
  }
}

function toWebhookWithSecretResponse({
  subscription,
  secret,
}: SubscriptionWithSecret): WebhookWithSecretResponse {
  return toResponse(WebhookWithSecretResponse, subscription, { secret });
}

function toDeliveryResponse(delivery: WebhookDelivery): DeliveryResponse {
  return toResponse(DeliveryResponse, delivery, {
    lastAttemptAt: delivery.attemptedAt,
    nextAttemptAt: delivery.status === 'pending' ? delivery.dueAt : null,
  });
}

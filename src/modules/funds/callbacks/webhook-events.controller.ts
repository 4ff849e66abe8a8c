import { Controller, Get, Post, Query } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { IdParam } from '../../../http/request/path-params.js';
import { type EnvelopedResponse, pagedResponse } from '../../../http/response/enveloped-response.js';
import { WebhookEventsQuery } from './dto/webhook-events.request.js';
import { WebhookEventDetailResponse, WebhookEventResponse } from './dto/webhook-event.response.js';
import { WebhookEventsService } from './webhook-events.service.js';
import { toResponse, toResponses } from '../../../http/response/to-response.js';

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

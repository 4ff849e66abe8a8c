import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { IdParam } from '../../../http/request/path-params.js';
import { FeedQuery, RepeatEventRequest } from './dto/feed.request.js';
import { FeedResponse, RepeatedEventResponse } from './dto/feed.response.js';
import { toFeedResponse } from './event-feed.mapper.js';
import { EventFeedService, ParkedEventsService } from './event-feed.service.js';

@Controller('api/admin/events')
export class EventFeedController {
  constructor(
    private readonly feed: EventFeedService,
    private readonly parked: ParkedEventsService,
  ) {}

  @Get()
  @AdminRoute('audit:read', {
    operationId: 'listEvents',
    summary: 'Everything that happens on the platform, in order; docs/events.md lists the types',
    data: FeedResponse,
    errors: ['INVALID_STATE', 'VALIDATION_ERROR'],
  })
  async list(@Query() query: FeedQuery): Promise<FeedResponse> {
    return toFeedResponse(await this.feed.listEvents(query));
  }

  @Post(':id/repeat')
  @AdminRoute('*', {
    summary: 'Hand an event again to the consumers that could not handle it',
    data: RepeatedEventResponse,
    errors: ['EVENT_NOT_FOUND', 'INVALID_STATE', 'VALIDATION_ERROR'],
  })
  async repeat(
    @IdParam('event', 'EVENT_NOT_FOUND') id: string,
    @Body() { consumer }: RepeatEventRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<RepeatedEventResponse> {
    return { id, consumers: await this.parked.repeatEvent(id, consumer, admin) };
  }
}

import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { DateInput, FilterInput, PageLimit, PageNumber } from '../../../http/request/input.decorators.js';
import {
  WEBHOOK_EVENT_STATUSES,
  WEBHOOK_KINDS,
  type WebhookEventStatus,
  type WebhookKind,
} from '../domain/webhook-event.js';

export class WebhookEventsQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 50;

  @FilterInput(WEBHOOK_EVENT_STATUSES, {
    description: 'failed: malformed or refused, or all attempts failed',
  })
  status?: WebhookEventStatus;

  @ApiProperty({ example: 'crypto2b' })
  @IsOptional()
  @Matches(/^[a-z0-9-]{1,40}$/, { message: 'must be a name of a provider' })
  provider?: string;

  @IsOptional()
  @IsIn(WEBHOOK_KINDS)
  kind?: WebhookKind;

  @DateInput({
    optional: true,
    description: 'received at this instant or later; a date alone is its first instant',
  })
  receivedAfter?: string;
}

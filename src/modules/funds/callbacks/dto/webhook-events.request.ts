import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { DateInput, FilterInput } from '../../../../http/request/input.decorators.js';
import {
  WEBHOOK_EVENT_STATUSES,
  WEBHOOK_KINDS,
  type WebhookEventStatus,
  type WebhookKind,
} from '../domain/webhook-event.js';
import { CreatedAfterInput, CreatedBeforeInput } from '../../../../http/request/list-inputs.js';
import { OtherNameOf } from '../../../../http/request/other-names.js';
import { PageQuery } from '../../../../http/request/page.query.js';

export class WebhookEventsQuery extends PageQuery {
  @FilterInput(WEBHOOK_EVENT_STATUSES, {
    description: 'failed: malformed or refused, or all attempts failed',
  })
  status?: WebhookEventStatus;

  @ApiProperty({ description: 'name of the provider', example: 'crypto2b' })
  @IsOptional()
  @Matches(/^[a-z0-9-]{1,40}$/, { message: 'must be a name of a provider' })
  provider?: string;

  @ApiProperty({ description: 'what the callback is about' })
  @IsOptional()
  @IsIn(WEBHOOK_KINDS)
  kind?: WebhookKind;

  @CreatedAfterInput('received')
  receivedAfter?: string;

  @OtherNameOf('receivedAfter')
  @DateInput({ optional: true })
  createdAfter?: string;

  @CreatedBeforeInput('received')
  createdBefore?: string;
}

import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { DateInput, FilterInput, PageLimit, PageNumber } from '../../../../http/request/input.decorators.js';
import {
  WEBHOOK_EVENT_STATUSES,
  WEBHOOK_KINDS,
  type WebhookEventStatus,
  type WebhookKind,
} from '../domain/webhook-event.js';
import { CreatedAfterInput, CreatedBeforeInput } from '../../../../http/request/creation-input.js';
import { OtherNameOf } from '../../../../http/request/other-names.js';
import { CursorInput } from '../../../../http/request/cursor-input.js';
import type { PageCursor } from '../../../../lists/list-page.js';

export class WebhookEventsQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 50;

  @CursorInput()
  cursor: PageCursor | undefined;

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

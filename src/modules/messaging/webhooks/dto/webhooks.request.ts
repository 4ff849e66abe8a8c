import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMinSize, ArrayUnique, IsArray, IsIn, IsOptional } from 'class-validator';
import { FilterInput, IfPresent, LineInput, TextLength } from '../../../../http/request/input.decorators.js';
import { PageQuery } from '../../../../http/request/page.query.js';
import {
  DELIVERY_STATUSES,
  EVENT_TYPES,
  SUBSCRIPTION_STATUSES,
  type DeliveryStatus,
  type EventType,
  type SubscriptionStatus,
} from '../webhooks.types.js';

const MAX_URL_LENGTH = 2000;

function UrlInput(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      description: 'of a server on the public internet; in production https, on port 443 or 80',
      example: 'https://shop.example.com/hooks',
    }),
    TextLength(1, MAX_URL_LENGTH),
  );
}

function EventsInput(): PropertyDecorator {
  const message = `must be a list of different events: ${EVENT_TYPES.join(', ')}`;
  return applyDecorators(
    ApiProperty({
      type: 'array',
      description: 'events that are delivered',
      example: ['deposit.completed', 'withdrawal.completed'],
    }),
    IsArray({ message }),
    ArrayMinSize(1, { message }),
    ArrayUnique({ message }),
    IsIn(EVENT_TYPES, { each: true, message }),
  );
}

const DescriptionInput = () =>
  LineInput({ maxLength: 200, description: 'to tell webhooks apart', example: 'Orders of the shop' });

export class SubscribeRequest {
  @UrlInput()
  url!: string;

  @EventsInput()
  events!: EventType[];

  @IsOptional()
  @DescriptionInput()
  description?: string | null;
}

/** Absent fields keep their values; none can be removed, so null is refused. */
export class ChangeWebhookRequest {
  @IfPresent()
  @UrlInput()
  url?: string;

  @IfPresent()
  @EventsInput()
  events?: EventType[];

  @IfPresent()
  @DescriptionInput()
  description?: string;

  @ApiProperty({ description: 'active: deliveries that were pending when it was disabled are sent now' })
  @IfPresent()
  @IsIn(SUBSCRIPTION_STATUSES)
  status?: SubscriptionStatus;
}

export class DeliveriesQuery extends PageQuery {
  override limit = 20;

  @FilterInput(DELIVERY_STATUSES)
  status?: DeliveryStatus;
}

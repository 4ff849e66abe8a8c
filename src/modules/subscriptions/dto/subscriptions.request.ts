import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMinSize, ArrayUnique, IsArray, IsIn, IsOptional, Matches } from 'class-validator';
import {
  FilterInput,
  IfPresent,
  PageLimit,
  PageNumber,
  TextLength,
} from '../../../http/request/input.decorators.js';
import { EVENT_TYPES, type EventType } from '../event-types.js';
import { DELIVERY_STATUSES } from '../subscriptions.queries.js';

const LONGEST_URL = 2000;

function UrlInput(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      description: 'of a server on the public internet; https and the usual port in production',
      example: 'https://shop.example.com/hooks',
    }),
    TextLength(1, LONGEST_URL),
  );
}

function EventsInput(): PropertyDecorator {
  const message = `must be a list of different events: ${EVENT_TYPES.join(', ')}`;
  return applyDecorators(
    ApiProperty({ type: 'array', example: ['deposit.completed', 'withdrawal.completed'] }),
    IsArray({ message }),
    ArrayMinSize(1, { message }),
    ArrayUnique({ message }),
    IsIn(EVENT_TYPES, { each: true, message }),
  );
}

function DescriptionInput(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ example: 'Orders of the shop' }),
    Matches(/^[^\p{Cc}]{1,200}$/u, { message: 'must be 1 to 200 characters on one line' }),
  );
}

export class SubscribeRequest {
  @UrlInput()
  url!: string;

  @EventsInput()
  events!: EventType[];

  @IsOptional()
  @DescriptionInput()
  description?: string | null;
}

/** What is left out stays as it is. */
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

  @ApiProperty({ description: 'active: what was waiting when it was disabled is sent now' })
  @IfPresent()
  @IsIn(['active', 'disabled'])
  status?: 'active' | 'disabled';
}

export class DeliveriesQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 20;

  @FilterInput(DELIVERY_STATUSES)
  status?: string;
}

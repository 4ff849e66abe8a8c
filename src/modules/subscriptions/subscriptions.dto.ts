import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { ValidateBy, ValidateIf } from 'class-validator';
import { PageLimit, PageNumber } from '../../http/pagination/page.query.js';
import { ChoiceInput, FilterInput, PatternInput, TextInput } from '../../http/validation/inputs.js';
import { EVENT_TYPES, type EventType } from './event-types.js';
import { DELIVERY_STATUSES } from './subscriptions.queries.js';

const LONGEST_URL = 2000;

function UrlInput(optional?: 'never-null'): PropertyDecorator {
  return TextInput({
    ...(optional ? { optional } : {}),
    maxLength: LONGEST_URL,
    example: 'https://shop.example.com/hooks',
    description: 'of a server on the public internet; https and the usual port in production',
  });
}

function EventsInput(optional = false): PropertyDecorator {
  const facts: ApiPropertyOptions = {
    type: 'array',
    items: { type: 'string', enum: [...EVENT_TYPES] },
    minItems: 1,
    uniqueItems: true,
    example: ['deposit.completed', 'withdrawal.completed'],
  };
  return applyDecorators(
    optional ? ApiPropertyOptional(facts) : ApiProperty(facts),
    ...(optional ? [ValidateIf((_, value) => value !== undefined)] : []),
    ValidateBy(
      { name: 'isEvents', validator: { validate: isEvents } },
      { message: `must be a list of different events: ${EVENT_TYPES.join(', ')}` },
    ),
  );
}

function isEvents(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || new Set(value).size < value.length) return false;
  return value.every((item) => EVENT_TYPES.some((type) => type === item));
}

function DescriptionInput(optional: true | 'never-null'): PropertyDecorator {
  return PatternInput(/^[^\p{Cc}]{1,200}$/u, 'must be 1 to 200 characters on one line', {
    optional,
    example: 'Orders of the shop',
  });
}

export class SubscribeDto {
  @UrlInput()
  url!: string;

  @EventsInput()
  events!: EventType[];

  @DescriptionInput(true)
  description?: string | null;
}

/** What is left out stays as it is. */
export class ChangeWebhookDto {
  @UrlInput('never-null')
  url?: string;

  @EventsInput(true)
  events?: EventType[];

  @DescriptionInput('never-null')
  description?: string;

  @ChoiceInput(['active', 'disabled'], {
    optional: 'never-null',
    description: 'active: what was waiting when it was disabled is sent now',
  })
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

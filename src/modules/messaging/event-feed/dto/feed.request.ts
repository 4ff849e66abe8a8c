import { ApiProperty } from '@nestjs/swagger';
import { IsInt, IsOptional, Matches, Max, Min, ValidateBy } from 'class-validator';
import { LineInput, NumberFromText } from '../../../../http/request/input.decorators.js';
import { FEED_EVENTS } from '../feed-types.constants.js';

const DEFAULT_EVENTS = 100;
const MAX_EVENTS = 1000;

/** Any number of the database's sequence that JavaScript holds exactly. */
const NUMBER = /^\d{1,15}$/;

function areKnownTypes(value: unknown): boolean {
  return typeof value === 'string' && value.split(',').every((type) => Object.hasOwn(FEED_EVENTS, type));
}

export class FeedQuery {
  @ApiProperty({
    description: 'the events with higher numbers; `next` of the last page. Without it, from the oldest event',
    example: '0',
  })
  @IsOptional()
  @Matches(NUMBER, { message: 'must be the number of an event: up to 15 digits' })
  after?: string;

  @ApiProperty({
    description: 'only these types, separated by commas; docs/events.md lists them',
    example: 'alert.raised,deposit.completed',
  })
  @IsOptional()
  @ValidateBy(
    { name: 'areEventTypes', validator: { validate: areKnownTypes } },
    { message: 'must be types of events, separated by commas: docs/events.md lists them' },
  )
  types?: string;

  @ApiProperty({ required: false, description: `number of events in the answer, at most ${MAX_EVENTS}` })
  @NumberFromText()
  @IsInt()
  @Min(1)
  @Max(MAX_EVENTS)
  limit = DEFAULT_EVENTS;
}

export class RepeatEventRequest {
  @LineInput({
    description: 'the only consumer that handles the event again; without it, all that have passed it over',
  })
  @IsOptional()
  consumer?: string;
}

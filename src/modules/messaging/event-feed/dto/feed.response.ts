import {
  EnumField,
  InstantField,
  ListField,
  MapField,
  NestedField,
  StringField,
  StringListField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { WebhookBody } from '../../../../http/openapi/webhooks.js';
import { FEED_EVENTS } from '../feed-types.constants.js';

const NUMBER = { example: '4711' };

export class FeedSubjectResponse {
  @StringField({ example: 'deposit', description: 'kind of the record that the event is about' })
  type!: string;
  @StringField({ example: '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11' }) id!: string;
}

export class FeedEventResponse {
  @StringField({ ...NUMBER, description: 'its place in the order of all events; numbers have gaps' })
  number!: string;
  @UuidField() id!: string;
  @EnumField(Object.keys(FEED_EVENTS)) type!: string;
  @InstantField() at!: string;
  @UuidField({ nullable: true, description: 'the user whom the event is about; null without one' })
  userId!: string | null;
  @NestedField(() => FeedSubjectResponse) subject!: FeedSubjectResponse;
  @MapField({}, { description: 'docs/events.md lists the fields of each type' })
  data!: object;
}

export class FeedResponse {
  @ListField(() => FeedEventResponse) events!: FeedEventResponse[];
  @StringField({
    ...NUMBER,
    nullable: true,
    description: 'number of the last event, the next `after`; null without events',
  })
  next!: string | null;
}

export class RepeatedEventResponse {
  @UuidField() id!: string;
  @StringListField({
    example: ['notifications'],
    description: 'the consumers that have handled the event now',
  })
  consumers!: string[];
}

@WebhookBody({
  name: 'platformEvent',
  tag: 'Admin: events',
  summary: 'Something has happened on the platform',
  description:
    'A CloudEvent to EVENT_WEBHOOK_URL, at least once and in the order of the numbers. An event that is not answered with 2xx is sent again before the next one. docs/events.md lists the types.',
  contentType: 'application/cloudevents+json',
})
export class PlatformEventBody {
  @EnumField(['1.0'], { description: 'version of CloudEvents' }) specversion!: string;
  @UuidField({ description: 'id of the event, the same at every attempt' }) id!: string;
  @StringField({ example: 'https://app.example.com', description: 'PUBLIC_URL' }) source!: string;
  @EnumField(Object.keys(FEED_EVENTS), { description: 'what has happened' }) type!: string;
  @InstantField({ description: 'of the event' }) time!: string;
  @StringField({
    example: 'deposit/0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11',
    description: 'kind and id of the record',
  })
  subject!: string;
  @EnumField(['application/json'], { description: 'of data' }) datacontenttype!: string;
  @StringField({ ...NUMBER, description: 'its place in the order of all events' }) number!: string;
  @UuidField({ optional: true, description: 'the user whom the event is about' }) userid?: string;
  @MapField({}, { description: 'docs/events.md lists the fields of each type' }) data!: object;
}

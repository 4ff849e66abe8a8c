import type { Schema } from '../../../../http/openapi/schemas.js';
import {
  ADMIN_EVENTS,
  USER_EVENTS,
  type AdminEventDescription,
  type EventDescription,
} from '../event-types.constants.js';
import { CLOSE, LIVE_PATH, MAX_MESSAGE_BYTES, TOPIC_OF_SCOPE } from '../live.types.js';

const AFTER = 'The id of the last event that the client has seen: the events since then are sent first.';
const DESCRIPTION = `Events over a WebSocket at ${LIVE_PATH}. The first message is \`hello\`. Each event is sent once per
connection, in one order per recipient. The client sends nothing. docs/live.md describes connecting and reconnecting.`;
const SCHEMAS = '#/components/schemas/';
const INSTANT = { type: 'string', format: 'date-time' };
const SCOPE_OF_TOPIC = new Map(Object.entries(TOPIC_OF_SCOPE).map(([scope, topic]) => [topic, scope]));

const SECURITY = ['ticket', 'token'].map((scheme) => ({ $ref: `#/components/securitySchemes/${scheme}` }));

/** The classes that document the data of events. */
export const EVENT_DATA_CLASSES = [
  ...new Set([...Object.values(USER_EVENTS), ...Object.values(ADMIN_EVENTS)].map(({ data }) => data)),
];

const HELLO = {
  name: 'hello',
  title: 'hello',
  summary: 'The first message of a connection',
  payload: { $ref: `${SCHEMAS}Hello` },
};

const HELLO_SCHEMAS = {
  Hello: {
    type: 'object',
    required: ['type', 'at', 'data'],
    properties: { type: { const: 'hello' }, at: INSTANT, data: { $ref: `${SCHEMAS}HelloData` } },
  },
  HelloData: {
    type: 'object',
    required: ['replayed', 'complete'],
    properties: {
      replayed: {
        type: 'integer',
        description: 'number of messages after this one whose events are from before the connection',
      },
      complete: {
        type: 'boolean',
        description: 'false: `after` is unknown or too old, nothing is replayed, read the lists anew',
      },
    },
  },
};

/** The AsyncAPI 3 document of the messages of live delivery. `schemas`: the schemas of `EVENT_DATA_CLASSES` by name. */
export function asyncApiDocument(schemas: Readonly<Record<string, Schema>>, version: string): object {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Stablecoin investment platform: live delivery',
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    defaultContentType: 'application/json',
    servers: {
      platform: {
        host: '{host}',
        protocol: 'wss',
        description: 'the address of the API',
        variables: { host: { default: 'localhost:3000' } },
        security: SECURITY,
      },
      sandbox: {
        host: 'localhost:3000',
        protocol: 'ws',
        description: 'the API that npm start runs',
        security: SECURITY,
      },
    },
    channels: {
      user: channelOf('user', 'Events of a user', USER_EVENTS),
      admin: channelOf(
        'admin',
        'Events for an admin, each with the permission that reading it needs',
        ADMIN_EVENTS,
      ),
    },
    operations: {
      sendUserEvents: operationOf('user', 'Sends the events of the user who has connected', USER_EVENTS),
      sendAdminEvents: operationOf('admin', 'Sends events to the admin who has connected', ADMIN_EVENTS),
    },
    components: {
      messages: {
        hello: HELLO,
        ...messagesOf('user', USER_EVENTS),
        ...messagesOf('admin', ADMIN_EVENTS),
      },
      schemas: {
        ...(withExamples(schemas) as object),
        ...HELLO_SCHEMAS,
        ...eventSchemas('user', USER_EVENTS),
        ...eventSchemas('admin', ADMIN_EVENTS),
      },
      securitySchemes: {
        ticket: {
          type: 'httpApiKey',
          in: 'query',
          name: 'ticket',
          description:
            '`ticket` of POST /api/user/live/ticket or /api/admin/live/ticket. It opens one connection.',
        },
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token or an API key, for programs that send headers.',
        },
      },
    },
    'x-close-codes': closeCodes(),
  };
}

type Events = Readonly<Record<string, EventDescription & Partial<AdminEventDescription>>>;
type Recipient = 'user' | 'admin';

const keyOf = (recipient: Recipient, type: string): string => `${recipient}.${type}`;

function messageKeysOf(recipient: Recipient, events: Events): string[] {
  return ['hello', ...Object.keys(events).map((type) => keyOf(recipient, type))];
}

function channelOf(recipient: Recipient, description: string, events: Events): object {
  const keys = messageKeysOf(recipient, events);
  return {
    address: LIVE_PATH,
    title: description,
    messages: Object.fromEntries(keys.map((key) => [key, { $ref: `#/components/messages/${key}` }])),
    bindings: {
      ws: {
        method: 'GET',
        query: {
          type: 'object',
          properties: { ticket: { type: 'string' }, after: { type: 'string', description: AFTER } },
        },
        bindingVersion: '0.1.0',
      },
    },
  };
}

function operationOf(recipient: Recipient, summary: string, events: Events): object {
  const keys = messageKeysOf(recipient, events);
  return {
    action: 'send',
    summary,
    channel: { $ref: `#/channels/${recipient}` },
    messages: keys.map((key) => ({ $ref: `#/channels/${recipient}/messages/${key}` })),
  };
}

function messagesOf(recipient: Recipient, events: Events): Record<string, object> {
  const messages = Object.entries(events).map(([type, { summary, permission }]) => {
    const scope = recipient === 'user' ? SCOPE_OF_TOPIC.get(type.slice(0, type.indexOf('.'))) : undefined;
    const message = {
      name: type,
      title: keyOf(recipient, type),
      summary,
      ...(permission ? { 'x-permission': permission } : {}),
      ...(scope ? { 'x-scope': scope } : {}),
      payload: { $ref: `${SCHEMAS}${eventSchemaName(recipient, type)}` },
    };
    return [keyOf(recipient, type), message];
  });
  return Object.fromEntries(messages) as Record<string, object>;
}

function eventSchemas(recipient: Recipient, events: Events): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(events).map(([type, { data }]) => [
      eventSchemaName(recipient, type),
      eventSchema(type, data.name),
    ]),
  );
}

/** `UserDepositSeen` of `deposit.seen`. */
function eventSchemaName(recipient: Recipient, type: string): string {
  return keyOf(recipient, type).replace(/(?:^|[.-])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function eventSchema(type: string, dataClass: string): Schema {
  return {
    type: 'object',
    required: ['id', 'type', 'at', 'data'],
    properties: {
      id: { type: 'string', description: 'opaque; `after` of the next connection' },
      type: { const: type },
      at: INSTANT,
      data: { $ref: `${SCHEMAS}${dataClass}` },
    },
  };
}

/** OpenAPI's keyword `example` is `examples` in the JSON Schema of AsyncAPI. */
function withExamples(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withExamples);
  if (typeof node !== 'object' || node === null) return node;
  const { example, ...schema } = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, withExamples(value)]),
  ) as Record<string, unknown>;
  return example === undefined ? schema : { ...schema, examples: [example] };
}

function closeCodes(): Record<string, string> {
  const codes: Record<string, string> = {
    '1009': `a message of more than ${MAX_MESSAGE_BYTES} bytes was sent`,
  };
  for (const { code, reason } of Object.values(CLOSE))
    codes[code] = codes[code] ? `${codes[code]}, or ${reason}` : reason;
  return codes;
}

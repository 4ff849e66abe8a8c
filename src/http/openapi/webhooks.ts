import type { OpenAPIObject } from '@nestjs/swagger';

type BodyClass = new () => object;

/** A request that the service sends to a server of a user or of the operator. */
interface OutgoingRequest {
  /** Its name in `webhooks`; `receive` and this name are the operationId. */
  readonly name: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly contentType: 'application/json' | 'application/cloudevents+json';
}

const requests: { readonly request: OutgoingRequest; readonly body: BodyClass }[] = [];

/** Documents the class as the body of an outgoing request, in the section `webhooks` of the OpenAPI document. */
export function WebhookBody(request: OutgoingRequest) {
  return (body: BodyClass): void => {
    requests.push({ request, body });
  };
}

/** The classes with the decorator. */
export function webhookBodies(): BodyClass[] {
  return requests.map(({ body }) => body);
}

const HEADERS = {
  'webhook-id': 'id of the event, the same at every attempt',
  'webhook-timestamp': 'time of the attempt, in seconds since 1970',
  'webhook-signature': 'signatures of the exact bytes according to Standard Webhooks, separated by spaces',
};

/** Adds the section `webhooks`. */
export function addWebhooks(document: OpenAPIObject): void {
  const webhooks = requests.map(({ request, body }) => [
    request.name,
    { post: operationOf(request, body.name) },
  ]);
  document.webhooks = Object.fromEntries(webhooks) as NonNullable<OpenAPIObject['webhooks']>;
}

function operationOf(
  { name, tag, summary, description, contentType }: OutgoingRequest,
  body: string,
): object {
  return {
    operationId: `receive${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    tags: [tag],
    summary,
    description,
    security: [],
    parameters: Object.entries(HEADERS).map(([header, text]) => ({
      name: header,
      in: 'header',
      required: true,
      description: text,
      schema: { type: 'string' },
    })),
    requestBody: {
      required: true,
      content: { [contentType]: { schema: { $ref: `#/components/schemas/${body}` } } },
    },
    responses: {
      '2XX': { description: 'The receiver has accepted the event.' },
      '4XX': { description: 'The service tries again later.' },
    },
  };
}

import { ApiResponse, getSchemaPath } from '@nestjs/swagger';

// The responses of a route in the OpenAPI document.

type ResponseClass = new () => object;

export interface ResponseOptions {
  /** One line for the documentation. */
  summary: string;
  /** Class of `data`, in brackets for an array. Absent for routes that answer text, bytes, headers only or JSON-RPC. */
  data?: ResponseClass | [ResponseClass];
  /**
   * Class of `data` in a second form, which a parameter or the type of session selects. In that form the envelope has no other
   * fields, such as `pagination`.
   */
  variant?: ResponseClass;
  /** The discriminator of `data` and `variant`: a field of both classes, and its value in each of them. */
  variantBy?: { readonly name: string; readonly values: readonly [string, string] };
  /** The envelope has `pagination`, of this class if one is given. */
  paged?: boolean | ResponseClass;
  /** Class of the envelope's `summary`. */
  summaryResponse?: ResponseClass;
  /** Schemas of other fields of the envelope that only this route has. */
  extraFields?: Record<string, object>;
  /** `success` reports the health of the service; an unhealthy service answers the same body with 503. */
  healthResponse?: boolean;
  /** A request whose record exists already changes nothing and answers the record with 200 instead of 201. */
  answersExisting?: boolean;
  /** Class of `data` of the answer 202: the approval for which the change waits. */
  approval?: ResponseClass;
  /** Can also answer comma-separated values. */
  csv?: boolean;
  /** Can also answer a journal for hledger and Ledger, as plain text. */
  journal?: boolean;
  /** Can also answer a page to print, and the same as PDF. */
  printed?: boolean;
  /** Answers its errors in JSON-RPC; in the envelope are only those that arise before the route is found. */
  answersJsonRpc?: boolean;
  /** Answers plain text outside the envelope. */
  plainText?: boolean;
  /** Answers HTML outside the envelope. */
  isPage?: boolean;
  /** Answers bytes of this media type outside the envelope. */
  bytes?: 'application/octet-stream' | 'application/gzip';
  /** `data` is the class of the whole body. */
  isWithoutEnvelope?: boolean;
}

/** The responses besides the success that the route's status names. */
export function furtherResponses(options: ResponseOptions): MethodDecorator[] {
  const { answersExisting, approval, healthResponse, summary } = options;
  const responses: Parameters<typeof ApiResponse>[0][] = [];
  if (answersExisting)
    responses.push({
      status: 200,
      description: 'The record exists already; nothing was changed.',
      ...responseSchema(options),
    });
  if (approval)
    responses.push({
      status: 202,
      description:
        'The change waits for the approval of a second admin (`/api/admin/approvals`); nothing was changed.',
      schema: envelopeOf('Success', { data: { $ref: getSchemaPath(approval) } }),
    });
  if (healthResponse) responses.push({ status: 503, description: summary, ...responseSchema(options) });
  return responses.map((response) => ApiResponse(response));
}

export function responseSchema(
  options: ResponseOptions,
): { schema: Schema } | { content: Record<string, { schema: Schema }> } {
  if (options.plainText) return { content: { 'text/plain': { schema: { type: 'string' } } } };
  if (options.isPage) return { content: { 'text/html': { schema: { type: 'string' } } } };
  if (options.bytes)
    return { content: { [options.bytes]: { schema: { type: 'string', format: 'binary' } } } };
  const schema = bodySchema(options);
  const text = { schema: { type: 'string' } } as const;
  const bytes = { schema: { type: 'string', format: 'binary' } } as const;
  const files = {
    ...(options.csv && { 'text/csv': text }),
    ...(options.journal && { 'text/plain': text }),
    ...(options.printed && { 'text/html': text, 'application/pdf': bytes }),
  };
  if (Object.keys(files).length === 0) return { schema };
  return { content: { 'application/json': { schema }, ...files } };
}

function bodySchema(options: ResponseOptions): Schema {
  if (!options.data) return {};
  return options.isWithoutEnvelope && !Array.isArray(options.data)
    ? { $ref: getSchemaPath(options.data) }
    : envelopeSchema(options);
}

type Schema = NonNullable<Extract<Parameters<typeof ApiResponse>[0], { schema: unknown }>['schema']>;

function envelopeSchema(options: ResponseOptions): Schema {
  const reference = (model: ResponseClass) => ({ $ref: getSchemaPath(model) });
  const data = Array.isArray(options.data)
    ? { type: 'array', items: reference(options.data[0]) }
    : reference(options.data as ResponseClass);
  const fields: Record<string, unknown> = { data, ...options.extraFields };
  if (options.paged) {
    fields.pagination =
      options.paged === true ? { $ref: '#/components/schemas/Pagination' } : reference(options.paged);
  }
  if (options.summaryResponse) fields.summary = reference(options.summaryResponse);
  if (options.healthResponse) return envelopeOf('HealthEnvelope', fields);
  if (!options.variant) return envelopeOf('Success', fields);
  const variant = reference(options.variant);
  if (options.variantBy) {
    const { name, values } = options.variantBy;
    const oneOf = [reference(options.data as ResponseClass), variant];
    const mapping = Object.fromEntries(
      oneOf.map(({ $ref }, index): [string, string] => [String(values[index]), $ref]),
    );
    return envelopeOf('Success', {
      data: { type: 'object', required: [name], oneOf, discriminator: { propertyName: name, mapping } },
    });
  }
  return {
    anyOf: [envelopeOf('Success', fields), envelopeOf('Success', { data: variant })],
  };
}

function envelopeOf(kind: 'Success' | 'HealthEnvelope', properties: Record<string, unknown>): Schema {
  return {
    allOf: [{ $ref: `#/components/schemas/${kind}` }, { required: Object.keys(properties), properties }],
  } as Schema;
}

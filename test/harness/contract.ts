import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { OpenAPIObject } from '@nestjs/swagger';
import { RESPONSE_HEADERS } from '../../src/http/openapi/headers.js';
import { withoutReferences } from '../../src/http/openapi/references.js';

type Schema = Record<string, unknown>;

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
}

interface Operation {
  parameters?: Parameter[];
  requestBody?: Schema;
  responses?: Record<string, Schema>;
}

/** A request as it was sent; `path` has no query. */
export interface SentRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  body: unknown;
}

const SERVICE_HEADERS = Object.keys(RESPONSE_HEADERS).map((name) => name.toLowerCase());

/** Compares route, status, headers and fields of responses, errors with their details too, with the OpenAPI document. */
export class OpenApiContract {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, discriminator: true });
  private readonly routes: {
    pattern: RegExp;
    method: string;
    path: string;
    parameters: Parameter[];
    requestBody: Schema | undefined;
    responses: Record<string, Schema>;
  }[];
  /** Validators by schema text: about two hundred schemas for all responses. */
  private readonly compiled = new Map<string, ValidateFunction>();

  /** `furtherFields`: whether objects may have fields that the document does not list. */
  constructor(document: OpenAPIObject, { furtherFields = false } = {}) {
    addFormats.default(this.ajv);
    const documented = document.components as unknown as Components;
    const components = furtherFields ? documented : forbidUndocumentedFields(documented);
    this.ajv.addSchema({ $id: 'document', components });
    const { paths = {}, webhooks = {} } = withoutReferences(document);
    // The documents of providers' protocols name the paths of their callbacks.
    const callbacks = Object.values(webhooks as Record<string, { 'x-path'?: string }>).flatMap(
      ({ 'x-path': path, ...operations }) => (path === undefined ? [] : [[path, operations] as const]),
    );
    this.routes = [...Object.entries(paths), ...callbacks].flatMap(([path, operations]) =>
      Object.entries(operations as Record<string, Operation>).map(
        ([method, { parameters = [], requestBody, responses = {} }]) => ({
          // A parameter named `path` stands for several segments.
          pattern: new RegExp(`^${path.replace('{path}', '.+').replace(/\{[^}]+\}/g, '[^/]+')}$`),
          method,
          path,
          parameters,
          requestBody,
          responses,
        }),
      ),
    );
    // A route with fewer parameters is the closer match: /users/search before /users/{id}.
    this.routes.sort((a, b) => a.path.split('{').length - b.path.split('{').length);
  }

  /** Throws if the response does not match the document. */
  requireDocumented(method: string, path: string, status: number, body: unknown, headers: Headers): void {
    const documentation = this.documentedResponse(method, path, status, body);
    if (!documentation) return;
    const { route, response } = documentation;
    const documentedHeaders = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase());
    const undocumented = SERVICE_HEADERS.filter(
      (name) => headers.has(name) && !documentedHeaders.includes(name),
    );
    if (undocumented.length > 0)
      throw new Error(
        `${method} ${route.path} ${status} has headers that are not documented: ${undocumented.join()}`,
      );
    const validate = this.validatorOf(response);
    if (validate && !validate(body)) {
      const faults = this.ajv.errorsText(validate.errors, { separator: '\n  ' });
      throw new Error(
        `${method} ${route.path} ${status} does not match the OpenAPI document:\n  ${faults}\n${JSON.stringify(body, null, 1)}`,
      );
    }
  }

  /** The documented response; undefined for an unknown route with 404 or 400. Throws if route or status is not documented. */
  documentedResponse(method: string, path: string, status: number, body?: unknown) {
    const route = this.routeOf(method, path);
    if (!route) {
      if (status === 404 || status === 400) return undefined; // unknown routes have no documented response
      throw new Error(`${method} ${path} answers ${status} but is not in the OpenAPI document`);
    }
    const response = route.responses[String(status)] ?? route.responses[`${Math.floor(status / 100)}XX`];
    if (!response) {
      throw new Error(
        `${method} ${route.path} answered ${status}, which the OpenAPI document does not list: ${JSON.stringify(body)}`,
      );
    }
    return { route, response };
  }

  /** Throws if the document does not list the route, a query parameter or the body, or if a required header or parameter is missing. */
  requireDocumentedRequest({ method, path, query, headers, body }: SentRequest): void {
    const route = this.routeOf(method, path);
    if (!route) throw new Error(`${method} ${path} was sent but is not in the OpenAPI document`);
    const required = route.parameters.filter((parameter) => parameter.required);
    const missing = required.filter(({ name, in: place }) =>
      place === 'header' ? !headers.has(name) : place === 'query' && !query.has(name),
    );
    const names = route.parameters.map(({ name }) => name);
    const undocumented = [...query.keys()].filter((name) => !names.includes(name));
    const validate = route.requestBody && this.validatorOf(route.requestBody);
    const faults = [
      ...missing.map(({ name }) => `${name} is missing`),
      ...undocumented.map((name) => `${name} is not documented`),
      ...(validate && !validate(body) ? [this.ajv.errorsText(validate.errors)] : []),
      ...(!route.requestBody && body !== undefined ? ['there is a body'] : []),
    ];
    if (faults.length > 0)
      throw new Error(`the request ${method} ${route.path} is not as documented: ${faults.join('; ')}`);
  }

  /** The methods and paths of all routes. */
  routeNames(): string[] {
    return this.routes.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  }

  /** The method and the path with its parameters; undefined for an unknown route. */
  routeName(method: string, path: string): string | undefined {
    const route = this.routeOf(method, path);
    return route && `${method} ${route.path}`;
  }

  private routeOf(method: string, path: string) {
    return this.routes.find((route) => route.method === method.toLowerCase() && route.pattern.test(path));
  }

  private validatorOf(response: Schema): ValidateFunction | undefined {
    const schema = (response.content as Record<string, { schema?: Schema }> | undefined)?.['application/json']
      ?.schema;
    if (!schema) return undefined;
    // Ajv supports discriminators without `mapping`; it reads the values from the schemas of `oneOf`.
    const schemaText = JSON.stringify(schema, (key, value: unknown) =>
      key === 'mapping' ? undefined : value,
    ).replaceAll('"#/components/', '"document#/components/');
    const validate = this.compiled.get(schemaText) ?? this.ajv.compile(JSON.parse(schemaText) as Schema);
    this.compiled.set(schemaText, validate);
    return validate;
  }
}

interface Components {
  schemas: Record<string, Schema>;
}

/** Schemas that other schemas extend by `allOf` or that responses extend, so that further fields are no error. */
const EXTENSIBLE_SCHEMAS = new Set(['Success', 'HealthEnvelope', 'Failure', 'Pagination']);

/** Adds `additionalProperties: false` to the schemas and to the details of errors, so that an undocumented field is an error. */
function forbidUndocumentedFields(components: Components): Schema {
  const schemas = Object.entries(components.schemas).map(([name, schema]) => [
    name,
    schema.properties && !EXTENSIBLE_SCHEMAS.has(name) ? withoutFurtherFields(schema) : schema,
  ]);
  return { ...components, schemas: Object.fromEntries(schemas) };
}

function withoutFurtherFields(schema: Schema): Schema {
  const properties = schema.properties as Record<string, Schema>;
  const { code, details } = properties;
  const isError = code?.const !== undefined && details !== undefined;
  return {
    additionalProperties: false,
    ...schema,
    properties: isError
      ? { ...properties, details: { additionalProperties: false, ...details } }
      : properties,
  };
}

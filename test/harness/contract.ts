import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { OpenAPIObject } from '@nestjs/swagger';
import {
  ERROR_CATALOGUE,
  type CatalogueEntry,
  type ErrorCode,
} from '../../src/common/errors/error-catalogue.js';
import { RESPONSE_HEADERS } from '../../src/http/openapi/headers.js';

type Schema = Record<string, unknown>;

const OWN_HEADERS = Object.keys(RESPONSE_HEADERS).map((name) => name.toLowerCase());

/** Compares responses with the OpenAPI document: route, status and every field; and details of errors with the catalogue. */
export class OpenApiContract {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  private readonly routes: {
    pattern: RegExp;
    method: string;
    path: string;
    responses: Record<string, Schema>;
  }[];
  /** Validators by schema text: about two hundred schemas for all responses. */
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor(document: OpenAPIObject) {
    addFormats.default(this.ajv);
    const components = withoutOtherFields(
      document.components as unknown as { schemas: Record<string, Schema> },
    );
    this.ajv.addSchema({ $id: 'document', components });
    this.routes = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations as Record<string, { responses?: Record<string, Schema> }>).map(
        ([method, operation]) => ({
          // a parameter `path` stands for several segments
          pattern: new RegExp(`^${path.replace('{path}', '.+').replace(/\{[^}]+\}/g, '[^/]+')}$`),
          method,
          path,
          responses: operation.responses ?? {},
        }),
      ),
    );
    // A route with fewer parameters is the closer match: /users/search before /users/{id}.
    this.routes.sort((a, b) => a.path.split('{').length - b.path.split('{').length);
  }

  /** Throws if the response does not match the document. */
  requireDocumented(method: string, path: string, status: number, body: unknown, headers: Headers): void {
    const found = this.documentedResponse(method, path, status, body);
    if (!found) return;
    const { route, response } = found;
    const documented = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase());
    const unnamed = OWN_HEADERS.filter((name) => headers.has(name) && !documented.includes(name));
    if (unnamed.length > 0)
      throw new Error(
        `${method} ${route.path} ${status} has headers that are not documented: ${unnamed.join()}`,
      );
    const validate = this.validatorOf(response);
    if (validate && !validate(body)) {
      const faults = this.ajv.errorsText(validate.errors, { separator: '\n  ' });
      throw new Error(
        `${method} ${route.path} ${status} does not match the OpenAPI document:\n  ${faults}\n${JSON.stringify(body, null, 1)}`,
      );
    }
    const unlisted = unlistedDetails(body);
    if (unlisted.length > 0)
      throw new Error(
        `${method} ${route.path} ${status} has details that the error catalogue does not list: ${unlisted.join()}`,
      );
  }

  /** The documented response; undefined for an unknown route with 404 or 400. Throws if route or status is not documented. */
  documentedResponse(method: string, path: string, status: number, body?: unknown) {
    const route = this.routes.find((r) => r.method === method.toLowerCase() && r.pattern.test(path));
    if (!route) {
      if (status === 404 || status === 400) return undefined; // unknown routes have no documented response
      throw new Error(`${method} ${path} answers ${status} but is not in the OpenAPI document`);
    }
    const response = route.responses[String(status)];
    if (!response) {
      throw new Error(
        `${method} ${route.path} answered ${status}, which the OpenAPI document does not list: ${JSON.stringify(body)}`,
      );
    }
    return { route, response };
  }

  private validatorOf(response: Schema): ValidateFunction | undefined {
    const schema = (response.content as Record<string, { schema?: Schema }> | undefined)?.['application/json']
      ?.schema;
    if (!schema) return undefined;
    const shared = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
    const validate = this.compiled.get(shared) ?? this.ajv.compile(JSON.parse(shared) as Schema);
    this.compiled.set(shared, validate);
    return validate;
  }
}

/** The names in the details of an error, or in those of the fields in them, that the catalogue does not list for its code. */
export function unlistedDetails(body: unknown): string[] {
  const { code, details } =
    (body as { error?: { code: ErrorCode; details?: object } } | undefined)?.error ?? {};
  if (code === undefined || details === undefined) return [];
  const { details: listed = [] }: CatalogueEntry = ERROR_CATALOGUE[code];
  const given = Array.isArray(details)
    ? details.flatMap((problem: object) => Object.keys(problem))
    : Object.keys(details);
  return given.filter((name) => !listed.includes(name));
}

const OPEN = new Set(['Success', 'HealthEnvelope', 'Failure', 'Pagination']); // used within allOf, or extended

/** Makes undocumented fields an error. */
function withoutOtherFields(components: { schemas: Record<string, Schema> }): Schema {
  const schemas = Object.entries(components.schemas).map(([name, schema]) => [
    name,
    schema.properties && !OPEN.has(name) ? { additionalProperties: false, ...schema } : schema,
  ]);
  return { ...components, schemas: Object.fromEntries(schemas) };
}

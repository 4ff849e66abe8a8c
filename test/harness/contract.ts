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

const SERVICE_HEADERS = Object.keys(RESPONSE_HEADERS).map((name) => name.toLowerCase());

/** Compares route, status, headers and fields of responses with the OpenAPI document, details of errors with the catalogue. */
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
    const components = forbidUndocumentedFields(
      document.components as unknown as { schemas: Record<string, Schema> },
    );
    this.ajv.addSchema({ $id: 'document', components });
    this.routes = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations as Record<string, { responses?: Record<string, Schema> }>).map(
        ([method, operation]) => ({
          // A parameter named `path` stands for several segments.
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
    const schemaText = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
    const validate = this.compiled.get(schemaText) ?? this.ajv.compile(JSON.parse(schemaText) as Schema);
    this.compiled.set(schemaText, validate);
    return validate;
  }
}

/**
 * The names in an error's details that the catalogue does not list for the error's code. `details` is one object, or a list
 * with an object for each problem.
 */
function unlistedDetails(body: unknown): string[] {
  const { code, details } =
    (body as { error?: { code: ErrorCode; details?: object } } | undefined)?.error ?? {};
  if (code === undefined || details === undefined) return [];
  const { details: listed = [] }: CatalogueEntry = ERROR_CATALOGUE[code];
  const names = Array.isArray(details)
    ? details.flatMap((problem: object) => Object.keys(problem))
    : Object.keys(details);
  return names.filter((name) => !listed.includes(name));
}

/** Schemas that other schemas extend by `allOf` or that responses extend, so that further fields are no error. */
const EXTENSIBLE_SCHEMAS = new Set(['Success', 'HealthEnvelope', 'Failure', 'Pagination']);

/** Adds `additionalProperties: false` to the schemas, so that an undocumented field is an error. */
function forbidUndocumentedFields(components: { schemas: Record<string, Schema> }): Schema {
  const schemas = Object.entries(components.schemas).map(([name, schema]) => [
    name,
    schema.properties && !EXTENSIBLE_SCHEMAS.has(name) ? { additionalProperties: false, ...schema } : schema,
  ]);
  return { ...components, schemas: Object.fromEntries(schemas) };
}

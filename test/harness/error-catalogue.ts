import { appendFileSync, readFileSync } from 'node:fs';
import { ERROR_CATALOGUE, type ErrorCode } from '../../src/common/errors/error-catalogue.js';
import { errorCodesOf, withoutReferences } from '../../src/http/openapi/references.js';

const recorded = new Set<string>();

/** Records an error code that a test triggered, for `faultsOfRun`. */
export function recordErrorCode(code: string | undefined): void {
  if (code === undefined || recorded.has(code)) return;
  recorded.add(code);
  appendFileSync(process.env.RECORDED_ERROR_CODES as string, `${code}\n`);
}

interface Codes {
  readonly catalogue: readonly string[];
  /** Code → one of the routes that document it. */
  readonly documented: ReadonlyMap<string, string>;
  readonly seen: ReadonlySet<string>;
  readonly neverReturned: readonly string[];
}

/** The differences between the error catalogue, the documented codes and those that the tests of this run have triggered. */
export function faultsOfRun(): string[] {
  const document = JSON.parse(readFileSync(process.env.OPENAPI_FILE as string, 'utf8')) as { paths: object };
  const catalogue = Object.keys(ERROR_CATALOGUE) as ErrorCode[];
  return faultsOfCatalogue({
    catalogue,
    documented: documentedCodes(withoutReferences(document)),
    seen: new Set(readFileSync(process.env.RECORDED_ERROR_CODES as string, 'utf8').split('\n')),
    neverReturned: catalogue.filter((code) => 'neverReturned' in ERROR_CATALOGUE[code]),
  });
}

export function faultsOfCatalogue({ catalogue, documented, seen, neverReturned }: Codes): string[] {
  return [
    ...catalogue
      .filter((code) => documented.has(code) && !seen.has(code))
      .map((code) => `${code}: documented by ${documented.get(code)}, but no test triggered it`),
    ...catalogue
      .filter((code) => !documented.has(code) && !seen.has(code) && !neverReturned.includes(code))
      .map((code) => `${code}: no route returns it, and its entry has no neverReturned`),
    ...neverReturned
      .filter((code) => documented.has(code) || seen.has(code))
      .map((code) => `${code}: marked as neverReturned, but ${documented.get(code) ?? 'a test'} returns it`),
  ];
}

/** Code → one of the routes of the OpenAPI document that list it. */
export function documentedCodes({ paths }: { paths: object }): Map<string, string> {
  const routeOfCode = new Map<string, string>();
  for (const [path, operations] of Object.entries(paths))
    for (const [method, { responses }] of Object.entries(operations as Record<string, { responses: object }>))
      for (const code of errorCodesOf(responses)) routeOfCode.set(code, `${method.toUpperCase()} ${path}`);
  return routeOfCode;
}

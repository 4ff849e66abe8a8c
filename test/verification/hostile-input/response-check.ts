import { ERROR_CATALOGUE } from '../../../src/common/errors/error-catalogue.js';
import type { OpenApiContract } from '../../harness/contract.js';
import type { HostileRequest } from './hostile-request.js';
import type { RawResponse, Outcome } from './sender.js';
import { CANARY } from './values.js';

/** Internal details in a response: a stack trace, SQL, or messages of libraries. */
const INTERNAL_DETAILS =
  /(\n|\\n)\s+at |node_modules|\.[cm]?[tj]s:\d|dist\/|\b(select|insert|update|delete) .*\b(from|into|set|where)\b|relation "|column "|constraint "|syntax error|violates|QueryFailed|typeorm|postgres|SQLSTATE|in JSON at|JSON\.parse|Unexpected (token|end)|(Syntax|Type|Range|URI|Reference)Error|is not a function|Cannot (read|GET|POST|PUT|DELETE)|ECONN|EPIPE|HPE_|undefined/i;

/** Permitted codes of 503: a disabled or paused function, a chain that did not answer, a proof that is not ready yet. */
const EXPECTED_503_CODES = new Set([
  'FAUCET_DISABLED',
  'WITHDRAWALS_PAUSED',
  'BLOCKCHAIN_ERROR',
  'PROOF_PENDING',
]);

/** Headers of every error response. */
const REQUIRED_ERROR_HEADERS: Record<string, RegExp> = {
  'cache-control': /no-store/,
  'x-content-type-options': /^nosniff$/,
  'content-type': /^application\/json; charset=utf-8$/,
};

/** All errors of the response to a request. */
export function responseErrors(
  request: HostileRequest,
  outcome: Outcome,
  contract: OpenApiContract,
): string[] {
  const { answers, failure } = outcome;
  const mayBeClosed = request.mayHaveInvalidFraming && failure !== 'no answer in time';
  if (failure && !mayBeClosed) return [`incomplete response: ${failure}`];
  if (answers.length === 0 && !request.mayHaveInvalidFraming) return ['no answer'];
  return answers.flatMap((answer) => [
    ...statusErrors(request, answer),
    ...headerErrors(answer),
    ...(answer.status >= 400 ? refusalErrors(request, answer) : []),
    ...(request.mayHaveInvalidFraming ? [] : contractErrors(contract, request, answer)),
  ]);
}

function statusErrors(
  { method, operation }: HostileRequest,
  { status, headers, text }: RawResponse,
): string[] {
  if (status >= 200 && status < 500) return [];
  const body = jsonObject(text);
  if (status === 503) {
    if (body && isHealthResponse(operation.path, body)) return [];
    if (method === 'HEAD' && operation.path.startsWith('/api/blockchain/')) return []; // HEAD has no body with the code
    if (EXPECTED_503_CODES.has(codeOf(body))) return [];
  }
  const retryAfter = headers.some(([name]) => name === 'retry-after') ? ' with Retry-After' : '';
  return [`status ${status}${retryAfter} ${codeOf(body)}`];
}

function headerErrors({ headers }: RawResponse): string[] {
  return headers.flatMap(([name, value]) => {
    if (name === 'x-injected') return ['a header was injected'];
    if (name === 'x-powered-by') return ['reveals the framework'];
    return value.includes(CANARY) ? [`the header ${name} echoes the request`] : [];
  });
}

function refusalErrors(request: HostileRequest, { status, headers, text }: RawResponse): string[] {
  if (request.mayHaveInvalidFraming && text === '' && status === 400) return []; // Node's response to a request without a Host header
  const faults: string[] = [];
  for (const [name, pattern] of Object.entries(REQUIRED_ERROR_HEADERS)) {
    const value = headers.find(([other]) => other === name)?.[1];
    if (!pattern.test(value ?? '')) faults.push(`the refusal's header ${name} is ${value}`);
  }
  const [detail] = INTERNAL_DETAILS.exec(text) ?? [];
  const isEcho = detail !== undefined && (request.body?.includes(detail) ?? false); // for example the name of a CSV column
  if (detail !== undefined && !isEcho) faults.push(`the refusal reveals internal details: ${detail.trim()}`);
  // A refusal names the unknown fields and query parameters.
  const textWithoutNames = text.replace(/"field":"[^"]*"/g, '');
  if (textWithoutNames.includes(CANARY) && !request.body?.includes(CANARY))
    faults.push('the refusal echoes the request');
  if (request.method === 'HEAD') return faults;
  const body = jsonObject(text);
  const code = codeOf(body);
  if (body && status === 503 && isHealthResponse(request.operation.path, body)) return faults;
  if (body?.success !== false || !(code in ERROR_CATALOGUE))
    faults.push(`the refusal is not in the envelope`);
  return faults;
}

/** Health routes answer 503 with data if a component fails. */
function isHealthResponse(path: string, body: Record<string, unknown>): boolean {
  return /^(\/api)?\/health\b/.test(path) && 'data' in body;
}

/** Differences from the OpenAPI document. */
function contractErrors(contract: OpenApiContract, request: HostileRequest, answer: RawResponse): string[] {
  const path = routedPath(request.target);
  try {
    if (request.method === 'HEAD') {
      contract.documentedResponse('GET', path, answer.status); // HEAD has no body
      return [];
    }
    const isJson = answer.headers.some(([name, value]) => name === 'content-type' && value.includes('json'));
    if (isJson)
      contract.requireDocumented(
        request.method,
        path,
        answer.status,
        JSON.parse(answer.text),
        new Headers(answer.headers),
      );
    else contract.documentedResponse(request.method, path, answer.status);
    return [];
  } catch (error) {
    return [(error as Error).message.slice(0, 1_000)];
  }
}

/** The path as the router normalises it: case, trailing slash, absolute URL. */
function routedPath(target: string): string {
  const [path = ''] = target.replace(/^http:\/\/[^/]+/, '').split(/[?#]/);
  return path.toLowerCase().replace(/(?<=.)\/$/, '');
}

function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function codeOf(body: Record<string, unknown> | undefined): string {
  return (body?.error as { code?: string } | undefined)?.code ?? 'without a code';
}

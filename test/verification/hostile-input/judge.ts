import { ERROR_CATALOGUE } from '../../../src/common/errors/error-catalogue.js';
import type { OpenApiContract } from '../../harness/contract.js';
import type { HostileRequest } from './hostile-request.js';
import type { EnvelopedResponse, Outcome } from './send.js';
import { CANARY } from './values.js';

/** What tells of our inside: a stack, SQL, a library's own words. */
const INSIDE =
  /(\n|\\n)\s+at |node_modules|\.[cm]?[tj]s:\d|dist\/|\b(select|insert|update|delete) .*\b(from|into|set|where)\b|relation "|column "|constraint "|syntax error|violates|QueryFailed|typeorm|postgres|SQLSTATE|in JSON at|JSON\.parse|Unexpected (token|end)|(Syntax|Type|Range|URI|Reference)Error|is not a function|Cannot (read|GET|POST|PUT|DELETE)|ECONN|EPIPE|HPE_|undefined/i;

/** 503 of what is switched off or paused, or of a chain that did not answer in time: no fault of the service. */
const AWAY = new Set(['FAUCET_DISABLED', 'WITHDRAWALS_PAUSED', 'BLOCKCHAIN_ERROR']);

/** Headers that an answer of an error always has. */
const PROTECTED: Record<string, RegExp> = {
  'cache-control': /no-store/,
  'x-content-type-options': /^nosniff$/,
  'content-type': /^application\/json; charset=utf-8$/,
};

/** Everything that is wrong with what came back; nothing when all promises are kept. */
export function faultsOf(request: HostileRequest, outcome: Outcome, contract: OpenApiContract): string[] {
  const { answers, failure } = outcome;
  if (failure && !(request.brokenFrame && failure !== 'no answer in time'))
    return [`no whole answer: ${failure}`];
  if (answers.length === 0 && !request.brokenFrame) return ['no answer'];
  return answers.flatMap((answer) => [
    ...faultsOfStatus(request, answer),
    ...faultsOfHeaders(answer),
    ...(answer.status >= 400 ? faultsOfRefusal(request, answer) : []),
    ...(request.brokenFrame ? [] : faultsAgainst(contract, request, answer)),
  ]);
}

function faultsOfStatus(
  { method, operation }: HostileRequest,
  { status, headers, text }: EnvelopedResponse,
): string[] {
  if (status >= 200 && status < 500) return [];
  const body = json(text);
  if (status === 503) {
    if (body && 'data' in body) return []; // a verdict on the service
    if (method === 'HEAD' && operation.path.startsWith('/api/blockchain/')) return []; // its code is in no body
    if (AWAY.has(codeOf(body))) return [];
  }
  const retryAfter = headers.some(([name]) => name === 'retry-after') ? ' with Retry-After' : '';
  return [`status ${status}${retryAfter} ${codeOf(body)}`];
}

function faultsOfHeaders({ headers }: EnvelopedResponse): string[] {
  return headers.flatMap(([name, value]) => {
    if (name === 'x-injected') return ['a header was injected'];
    if (name === 'x-powered-by') return ['tells what it is made of'];
    return value.includes(CANARY) ? [`what was sent came back in the header ${name}`] : [];
  });
}

function faultsOfRefusal(request: HostileRequest, { status, headers, text }: EnvelopedResponse): string[] {
  if (request.brokenFrame && text === '' && status === 400) return []; // a request that names no host
  const faults: string[] = [];
  for (const [name, pattern] of Object.entries(PROTECTED)) {
    const value = headers.find(([other]) => other === name)?.[1];
    if (!pattern.test(value ?? '')) faults.push(`the refusal's header ${name} is ${value}`);
  }
  const [inside] = INSIDE.exec(text) ?? [];
  if (inside !== undefined) faults.push(`the refusal tells of the inside: ${inside.trim()}`);
  if (text.includes(CANARY) && !request.body?.includes(CANARY)) faults.push('the refusal echoes the request');
  if (request.method === 'HEAD') return faults;
  const body = json(text);
  const code = codeOf(body);
  if (body && 'data' in body && status === 503) return faults;
  if (body?.success !== false || !(code in ERROR_CATALOGUE))
    faults.push(`the refusal is not in the envelope`);
  return faults;
}

/** What the document says of this route, method and status. */
function faultsAgainst(
  contract: OpenApiContract,
  request: HostileRequest,
  answer: EnvelopedResponse,
): string[] {
  const path = routedPath(request.target);
  try {
    if (request.method === 'HEAD') {
      contract.documentedResponse('GET', path, answer.status); // without its body
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

/** The router takes no offence at another case, a slash at the end, or a whole address. */
function routedPath(target: string): string {
  const [path = ''] = target.replace(/^http:\/\/[^/]+/, '').split(/[?#]/);
  return path.toLowerCase().replace(/(?<=.)\/$/, '');
}

function json(text: string): Record<string, unknown> | undefined {
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

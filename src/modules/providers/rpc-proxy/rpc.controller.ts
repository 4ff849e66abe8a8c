import {
  Catch,
  Controller,
  Post,
  Req,
  Res,
  UseFilters,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import {
  ApiBody,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiTags,
  ApiTooManyRequestsResponse,
} from '@nestjs/swagger';
import type { Response } from 'express';
import type { DomainError } from '../../../common/errors/domain-error.js';
import type { FieldProblem } from '../../../common/errors/error-details.js';
import { PublicRoute } from '../../../http/auth/route.js';
import type { RequestWithRawBody } from '../../../http/request/body-reader.js';
import { RawResponse } from '../../../http/response/enveloped-response.js';
import { classifyAndReport } from '../../../http/response/error.filter.js';
import { callerAddress } from '../../../http/throttling/caller-address.js';
import { INVALID_REQUEST, limitExceeded, PARSE_ERROR, type RpcError } from './domain/rpc-messages.js';
import { MAX_FEE_BLOCKS, MAX_GAS, RPC_METHODS, MAX_LOG_BLOCKS } from './domain/rpc-methods.js';
import { answerWithError, MAX_CALLS, RpcProxyService, type RpcReply } from './rpc-proxy.service.js';

const TOO_MANY_REQUESTS = 429;

/**
 * Answers the errors of guards and of the body in JSON-RPC, for each call of the request. The status is 200, since wallet
 * libraries read no other, except for the rate limit.
 */
@Catch()
class RpcErrorFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<RequestWithRawBody>();
    const response = http.getResponse<Response>();
    const error = classifyAndReport(request, thrown);
    if (response.headersSent) {
      response.destroy(); // so that the client does not take the part that was sent for a complete answer
      return;
    }
    if (error.retryAfterSeconds !== undefined) response.setHeader('Retry-After', error.retryAfterSeconds);
    response.locals.isFailure = error.isFailure;
    response.status(error.status === TOO_MANY_REQUESTS ? TOO_MANY_REQUESTS : 200);
    response.type('json').send(answerWithError(request.rawBody, rpcErrorOf(error)));
  }
}

function rpcErrorOf(error: DomainError): RpcError {
  const { code, message, details } = error;
  const data = { code, ...(details ? { details } : {}) };
  switch (code) {
    case 'RATE_LIMIT_EXCEEDED':
      return { ...limitExceeded(message), data };
    case 'VALIDATION_ERROR':
      return isAboutBody(details) ? PARSE_ERROR : { ...INVALID_REQUEST, message, data };
    case 'PAYLOAD_TOO_LARGE':
    case 'UNSUPPORTED_MEDIA_TYPE':
      return { ...INVALID_REQUEST, message, data };
    default:
      return { code: -32603, message, data };
  }
}

/** False for a query parameter, which the route does not take. */
function isAboutBody(details: object | undefined): boolean {
  const { fields = [] } = (details ?? {}) as { fields?: readonly FieldProblem[] };
  return fields.every(({ field }) => field === 'body');
}

const ID = { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] };
const CALL = {
  type: 'object',
  required: ['jsonrpc', 'method'],
  properties: {
    jsonrpc: { type: 'string', enum: ['2.0'] },
    id: ID,
    method: { type: 'string', enum: [...RPC_METHODS] },
    params: { type: 'array', items: {} },
  },
};
const answerWith = (field: string, schema: object) => ({
  type: 'object',
  required: ['jsonrpc', 'id', field],
  additionalProperties: false,
  properties: { jsonrpc: { type: 'string', enum: ['2.0'] }, id: ID, [field]: schema },
});
const ERROR = {
  type: 'object',
  required: ['code', 'message'],
  additionalProperties: false,
  properties: { code: { type: 'integer' }, message: { type: 'string' }, data: {} },
};
const ANSWERS = [answerWith('result', {}), answerWith('error', ERROR)];

// The cast: Nest's types describe OpenAPI 3.0, which has no type null.
const body = {
  required: true,
  schema: {
    oneOf: [CALL, { type: 'array', items: CALL, minItems: 1, maxItems: MAX_CALLS }],
    example: { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] },
  },
} as object;
const answer = {
  description: [
    'JSON-RPC 2.0, not the envelope, also for errors, each with the id of its call: -32700 for a body that is not JSON; -32600 for an invalid ' +
      `request, a body above 100 kB and each call of a batch of more than ${MAX_CALLS}; -32601 for a method that is not allowed, with those that are in ` +
      '`data.allowed`; -32603 for a node that does not answer.',
    `eth_getLogs covers at most ${MAX_LOG_BLOCKS} blocks, eth_feeHistory ${MAX_FEE_BLOCKS}; a call gets at most ${MAX_GAS} gas.`,
    'Unknown fields, overrides of state or blocks, and too many blocks of eth_feeHistory are the error -32602.',
    'The error -32005: the range of eth_getLogs or an answer is too large, too many requests are waiting, or the node time that your IP address may ' +
      'use in a minute is used up.',
  ].join(' '),
  schema: {
    oneOf: [...ANSWERS, { type: 'array', items: { oneOf: ANSWERS } }],
    example: { jsonrpc: '2.0', id: 1, result: '0x10' },
  },
} as object;

const rateLimit = {
  description: 'RATE_LIMIT_EXCEEDED: the JSON-RPC error -32005, for each call of the request.',
  schema: {
    oneOf: [answerWith('error', ERROR), { type: 'array', items: answerWith('error', ERROR) }],
    example: { jsonrpc: '2.0', id: 1, error: { code: -32005, message: 'Too many requests.' } },
  },
} as object;

@ApiTags('blockchain')
@Controller('api/blockchain')
@UseFilters(RpcErrorFilter)
export class RpcController {
  constructor(private readonly proxy: RpcProxyService) {}

  @Post('rpc')
  @ApiBody(body)
  @ApiOkResponse(answer)
  @ApiTooManyRequestsResponse(rateLimit)
  @ApiNoContentResponse({
    description: 'The request had notifications only (calls without an id), which are not answered.',
  })
  @PublicRoute({
    operationId: 'callBlockchain',
    summary: 'Reads the chain by JSON-RPC, single or in a batch; wallets can use it as their RPC address',
    rateClass: 'rpc',
    body: 'any-type',
    answersJsonRpc: true,
  })
  rpc(
    @Req() request: RequestWithRawBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RawResponse> {
    return this.proxy
      .answerJsonRpc(request.rawBody, callerAddress(request))
      .then((reply) => plainJson(response, reply));
  }
}

function plainJson(response: Response, { text, isFailure }: RpcReply): RawResponse {
  response.locals.isFailure = isFailure;
  if (text === undefined) response.status(204);
  else response.type('json');
  return new RawResponse(text);
}

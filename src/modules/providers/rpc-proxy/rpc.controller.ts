import { Controller, Post, Req, Res, UseFilters } from '@nestjs/common';
import {
  ApiBody,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiTags,
  ApiTooManyRequestsResponse,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { PublicRoute } from '../../../http/auth/route.js';
import type { RequestWithRawBody } from '../../../http/request/body-reader.js';
import { RawResponse } from '../../../http/response/enveloped-response.js';
import { callerAddress } from '../../../http/throttling/caller-address.js';
import { MAX_LOG_BLOCKS } from './domain/log-range.js';
import { MAX_FEE_BLOCKS, MAX_GAS, RPC_METHODS } from './domain/rpc-methods.js';
import { RpcErrorFilter } from './rpc-error.filter.js';
import { MAX_CALLS, RpcProxyService, type RpcReply } from './rpc-proxy.service.js';

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

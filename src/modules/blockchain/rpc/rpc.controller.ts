import { Controller, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { PublicRoute } from '../../../http/auth/route.js';
import type { RequestWithRawBody } from '../../../http/request/body-reader.js';
import { RawResponse } from '../../../http/response/enveloped-response.js';
import { callerAddress } from '../../../http/throttling/caller-address.js';
import { MAX_LOG_BLOCKS } from './domain/log-range.js';
import { MAX_FEE_BLOCKS, MAX_GAS, RPC_METHODS } from './domain/rpc-methods.js';
import { MAX_CALLS, RpcProxyService } from './rpc-proxy.service.js';

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
    'JSON-RPC 2.0, not the envelope.',
    `eth_getLogs covers at most ${MAX_LOG_BLOCKS} blocks, eth_feeHistory ${MAX_FEE_BLOCKS}; a call gets at most ${MAX_GAS} gas.`,
    'Unknown fields, overrides of state or blocks, and too many blocks of eth_feeHistory are the error -32602.',
    'The error -32005: the range of eth_getLogs or an answer is too large, too many requests are waiting, or the node time that your IP address may ' +
      'use in a minute is used up.',
  ].join(' '),
  schema: {
    oneOf: [...ANSWERS, { type: 'array', items: { oneOf: ANSWERS }, maxItems: MAX_CALLS }],
    example: { jsonrpc: '2.0', id: 1, result: '0x10' },
  },
} as object;

@ApiTags('blockchain')
@Controller('api/blockchain')
export class RpcController {
  constructor(private readonly proxy: RpcProxyService) {}

  @Post('rpc')
  @ApiBody(body)
  @ApiOkResponse(answer)
  @ApiNoContentResponse({
    description: 'The request had notifications only (calls without an id), which are not answered.',
  })
  @PublicRoute({
    summary: 'Reads the chain by JSON-RPC, single or in a batch; wallets can use it as their RPC address',
    rateClass: 'rpc',
    errors: ['RPC_METHOD_NOT_ALLOWED', 'BLOCKCHAIN_ERROR'],
  })
  rpc(
    @Req() request: RequestWithRawBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RawResponse> {
    return this.proxy
      .answerJsonRpc(request.rawBody, callerAddress(request))
      .then((text) => plainJson(response, text));
  }
}

function plainJson(response: Response, text: string | undefined): RawResponse {
  if (text === undefined) response.status(204);
  else response.type('json');
  return new RawResponse(text);
}

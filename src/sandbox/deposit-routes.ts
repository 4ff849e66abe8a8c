import express from 'express';
import type { Request, RequestHandler, Router } from 'express';
import type { DepositProvider } from './deposit-provider.js';
import { instrumentOf, toJson } from './deposit-records.js';
import { applyFaults } from './faults.js';
import type { Faults } from './faults.js';
import { fieldsOf, optionalText, text, wholeNumber } from './input.js';
import type { SandboxSettings } from './sandbox-settings.js';
import { signatureMatches } from './signature.js';

const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 50;
const LONGEST_RECV_WINDOW_MS = 60_000;

function rawBody(request: Request): string {
  return Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '';
}

/** Rejects requests without a valid signature of the platform, and requests whose timestamp is outside of their time window. */
function requireSignature(settings: SandboxSettings): RequestHandler {
  return (request, response, next) => {
    const timestamp = request.get('X-Processing-Timestamp') ?? '';
    const recvWindow = request.get('X-Processing-RecvWindow') ?? '5000';
    const ageMs = Math.abs(Date.now() - Number(timestamp));
    const signed = {
      timestamp,
      recvWindow,
      method: request.method,
      path: request.originalUrl,
      body: rawBody(request),
    };
    const isAuthentic =
      request.get('X-Processing-Key') === settings.DEPOSIT_PROVIDER_KEY &&
      ageMs <= Math.min(Number(recvWindow), LONGEST_RECV_WINDOW_MS) &&
      signatureMatches(settings.DEPOSIT_PROVIDER_SECRET, signed, request.get('X-Processing-Signature') ?? '');
    if (isAuthentic) next();
    else response.status(401).json({ error: 'X-Processing-Key, -Timestamp or -Signature is wrong.' });
  };
}

/**
 * The provider's HTTP interface, under /deposit-provider (which is part of the signed path):
 * POST /deposits/addresses; GET /deposits/list?offset=&limit=&foreignId= → {items, total}, newest first;
 * GET /deposits/{id} → one such item, with the fields of a callback's `data`.
 */
export function depositRoutes(provider: DepositProvider, settings: SandboxSettings, faults: Faults): Router {
  const router = express.Router();
  router.use(applyFaults(faults, 'deposit'), express.raw({ type: () => true }), requireSignature(settings));

  router.post('/deposits/addresses', (request, response) => {
    const fields = fieldsOf(request.body);
    const address = provider.createAddress(
      text(fields, 'currencyShortName').toUpperCase(),
      text(fields, 'transportProtocol').toUpperCase(),
      text(fields, 'foreignId'),
    );
    const { id, foreignId } = address;
    response.json({ id, address: address.address, tag: null, foreignId, instrument: instrumentOf(address) });
  });
  router.get('/deposits/list', (request, response) => {
    const { offset = '0', limit = String(DEFAULT_LIMIT) } = request.query;
    const page = {
      offset: wholeNumber(offset, 'offset', { min: 0, max: Number.MAX_SAFE_INTEGER }),
      limit: wholeNumber(limit, 'limit', { min: 1, max: MAX_LIMIT }),
      foreignId: optionalText(request.query, 'foreignId'),
    };
    response.type('json').send(toJson(provider.list(page)));
  });
  router.get('/deposits/:id', (request, response) => {
    const id = wholeNumber(request.params.id, 'id', { min: 0, max: Number.MAX_SAFE_INTEGER });
    response.type('json').send(toJson(provider.getDeposit(id)));
  });
  return router;
}

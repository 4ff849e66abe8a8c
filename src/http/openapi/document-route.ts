import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Express } from 'express';
import { publicFor } from '../response/caching.js';
import { representationsOf, sendRepresentation, type Representations } from '../response/content-coding.js';
import type { RateLimits } from '../throttling/rate-limits.js';

export const DOCUMENT_PATH = '/api/openapi.json';
const MAX_AGE_SECONDS = 300;
const BROTLI_QUALITY = 9; // 11 takes twenty times as long for 7 % fewer bytes

/**
 * Serves the OpenAPI document in the coding that the client prefers. The document has nearly a megabyte, so its three representations
 * are created once, for the first request, and requests count in the class `public`.
 */
export function serveDocument(
  express: Express,
  createDocument: () => OpenAPIObject,
  rateLimits: RateLimits,
): void {
  let representations: Promise<Representations> | undefined;
  express.get(DOCUMENT_PATH, async (_request, response) => {
    await rateLimits.countRequest('public', response);
    representations ??= compressed(Buffer.from(JSON.stringify(createDocument())));
    response.type('json').set('Cache-Control', publicFor(MAX_AGE_SECONDS));
    sendRepresentation(response, await representations);
  });
}

async function compressed(document: Buffer): Promise<Representations> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(document, { params }),
    promisify(gzip)(document, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  return representationsOf(document, br, gzipped);
}

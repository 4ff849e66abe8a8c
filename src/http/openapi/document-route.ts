import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Express } from 'express';
import { publicFor } from '../response/caching.js';
import { preferredCoding, type Coding } from '../response/content-coding.js';
import type { RateLimits } from '../throttling/rate-limits.js';

export const DOCUMENT_PATH = '/api/openapi.json';
const MAX_AGE_SECONDS = 300;
const BROTLI_QUALITY = 9; // 11 takes twenty times as long for 7 % fewer bytes

interface Representation {
  readonly bytes: Buffer;
  readonly etag: string;
}

/**
 * Serves the OpenAPI document in the coding that the client prefers. The document has nearly a megabyte, so the first request
 * creates its three representations, and requests count in the class `public`.
 */
export function serveDocument(
  express: Express,
  createDocument: () => OpenAPIObject,
  rateLimits: RateLimits,
): void {
  let representations: Promise<Record<Coding, Representation>> | undefined;
  express.get(DOCUMENT_PATH, async (request, response) => {
    await rateLimits.countRequest('public', response);
    representations ??= representationsOf(Buffer.from(JSON.stringify(createDocument())));
    const coding = preferredCoding(request);
    const { bytes, etag } = (await representations)[coding];
    response.vary('Accept-Encoding').set({ 'Cache-Control': publicFor(MAX_AGE_SECONDS), ETag: etag });
    if (coding !== 'identity') response.set('Content-Encoding', coding);
    response.type('json').send(bytes); // or 304 if the client has this ETag
  });
}

async function representationsOf(document: Buffer): Promise<Record<Coding, Representation>> {
  const hash = createHash('sha256').update(document).digest('base64url').slice(0, 27);
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(document, { params }),
    promisify(gzip)(document, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  return {
    br: { bytes: br, etag: `"${hash}-br"` },
    gzip: { bytes: gzipped, etag: `"${hash}-gzip"` },
    identity: { bytes: document, etag: `"${hash}"` },
  };
}

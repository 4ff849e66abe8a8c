import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';

type Coding = 'br' | 'gzip' | 'identity';

/** One content in each coding, with the ETag of each form. */
export type Representations = Readonly<Record<Coding, { readonly bytes: Buffer; readonly etag: string }>>;

export function representationsOf(identity: Buffer, br: Buffer, gzip: Buffer): Representations {
  const hash = createHash('sha256').update(identity).digest('base64url').slice(0, 27);
  return {
    br: { bytes: br, etag: `"${hash}-br"` },
    gzip: { bytes: gzip, etag: `"${hash}-gzip"` },
    identity: { bytes: identity, etag: `"${hash}"` },
  };
}

/** Sends the content in the coding that the client prefers. The caller sets all headers but those of the coding. */
export function sendRepresentation(response: Response, representations: Representations): void {
  const coding = preferredCoding(response.req);
  const { bytes, etag } = representations[coding];
  response.vary('Accept-Encoding').set('ETag', etag);
  if (coding !== 'identity') response.set('Content-Encoding', coding);
  response.send(bytes); // or 304 if the client has this ETag
}

/**
 * Of codings with equal weights Express prefers the one that the client names first. Browsers name gzip before br, which is smaller,
 * so br is taken wherever the client names it without a weight.
 */
function preferredCoding(request: Request): Coding {
  const preferred = request.acceptsEncodings(['br', 'gzip', 'identity']);
  const hasBrWithoutWeight = /(?:^|,)\s*br\s*(?:,|$)/i.test(request.get('Accept-Encoding') ?? '');
  if (preferred === 'gzip' && hasBrWithoutWeight) return 'br';
  return preferred === 'br' || preferred === 'gzip' ? preferred : 'identity';
}

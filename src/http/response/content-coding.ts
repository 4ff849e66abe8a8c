import type { Request } from 'express';

export type Coding = 'br' | 'gzip' | 'identity';

/** Of codings with equal weights Express prefers the one that the client names first, and browsers name gzip before br. */
export function preferredCoding(request: Request): Coding {
  const preferred = request.acceptsEncodings(['br', 'gzip', 'identity']);
  const hasBrWithoutWeight = /(?:^|,)\s*br\s*(?:,|$)/i.test(request.get('Accept-Encoding') ?? '');
  if (preferred === 'gzip' && hasBrWithoutWeight) return 'br';
  return preferred === 'br' || preferred === 'gzip' ? preferred : 'identity';
}

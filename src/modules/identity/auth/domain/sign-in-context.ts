import type { Request } from 'express';
import { networkAddress, networkPrefixOf } from '../../../../http/throttling/caller-address.js';
import type { SessionKind, SignInContext } from '../auth.types.js';

/** The device and the network of a request that signs in a user. The network address is the one that rate limits use. */
export function signInContextOf(request: Request, kind: SessionKind): SignInContext {
  const address = networkAddress(request) ?? null;
  return {
    kind,
    userAgent: request.get('user-agent') ?? '',
    address,
    network: networkPrefixOf(address ?? 'unknown'),
  };
}

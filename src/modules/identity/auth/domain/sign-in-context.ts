import type { Request } from 'express';
import { networkAddress, networkPrefixOf } from '../../../../http/throttling/caller-address.js';
import type { SessionKind, SignInContext } from '../auth.types.js';

/** The device and the network of a request that signs in a user. Its network address is the address by which rate limits count. */
export function signInContextOf(request: Request, kind: SessionKind): SignInContext {
  const address = networkAddress(request) ?? null;
  return {
    kind,
    userAgent: request.get('user-agent') ?? '',
    address,
    network: networkPrefixOf(address ?? 'unknown'),
  };
}

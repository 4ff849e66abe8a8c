import { Injectable } from '@nestjs/common';
import { realNow } from '../../common/clock.js';
import { UnstoredValues } from '../../common/unstored-values.js';
import { networkOf } from '../throttling/caller-address.js';
import type { Principal } from './principal.js';

const MAX_UNSTORED_USES = 10_000;

/** The latest permitted request with an API key from one network. */
export interface ApiKeyUse {
  readonly keyId: string;
  readonly network: string;
  readonly address: string;
  readonly at: Date;
}

/** The uses of API keys that the module api-keys has not stored yet. A request that a guard refuses is not a use. */
@Injectable()
export class ApiKeyUses {
  /** By key and network. */
  readonly unstored = new UnstoredValues<ApiKeyUse>(MAX_UNSTORED_USES);

  /** Ignores principals without an API key. */
  recordUse(principal: Principal, address = 'unknown'): void {
    if (principal.type !== 'user' || !principal.apiKey) return;
    const keyId = principal.apiKey.id;
    const network = networkOf(address);
    this.unstored.setValue(`${keyId} ${network}`, { keyId, network, address, at: realNow() });
  }
}

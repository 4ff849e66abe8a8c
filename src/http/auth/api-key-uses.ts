import { Injectable } from '@nestjs/common';
import { networkAddress } from '../throttling/caller-address.js';
import type { RequestWithPrincipal } from './principal.js';

/** A request with an API key that the guards have let pass. */
export interface ApiKeyUse {
  readonly keyId: string;
  /** The caller's IP address; undefined if it is unknown. */
  readonly address: string | undefined;
}

type Listener = (use: ApiKeyUse) => void;

/** Reports the uses of API keys to the module that stores them. Refused requests are no uses. */
@Injectable()
export class ApiKeyUses {
  private readonly listeners: Listener[] = [];

  subscribe(listener: Listener): void {
    this.listeners.push(listener);
  }

  reportUse(request: RequestWithPrincipal): void {
    const { principal } = request;
    if (principal?.type !== 'user' || !principal.apiKey) return;
    const use = { keyId: principal.apiKey.id, address: networkAddress(request) };
    for (const listener of this.listeners) listener(use);
  }
}

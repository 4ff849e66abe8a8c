import { Injectable } from '@nestjs/common';
import type { Principal } from './principal.js';

/** A request with an API key that was permitted. */
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

  /** Ignores principals without an API key. */
  reportUse(principal: Principal, address: string | undefined): void {
    if (principal.type !== 'user' || !principal.apiKey) return;
    for (const listener of this.listeners) listener({ keyId: principal.apiKey.id, address });
  }
}

import type { DomainEvent } from '../../../events/domain-events.js';

/** Topic `api-key`: the keys of a user, and the networks from which they are used. */
export interface ApiKeyEvent extends DomainEvent {
  readonly name: 'api-key.created' | 'api-key.revoked' | 'api-key.used-from-new-network';
  /** The name that the user has given to the key. */
  readonly keyName: string;
  /** The first characters of the key. */
  readonly prefix: string;
  /** Of a use from a new network: its IP address, `unknown`, or the text `MANY_NETWORKS`. Null for the other events. */
  readonly address: string | null;
  /** Of `api-key.revoked`: a change of the user's e-mail address has revoked the key, and the mails about the change name it. */
  readonly byEmailChange?: boolean;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RecipientType } from '../live.types.js';

@Entity('live_ticket')
export class LiveTicket {
  /** The hash of the ticket by `CredentialKeys.hashOf`. */
  @PrimaryColumn('bytea', { name: 'ticket_hash' })
  ticketHash!: Buffer;

  @Column('text', { name: 'owner_type' })
  ownerType!: RecipientType;

  @Column('text', { name: 'owner_id' })
  ownerId!: string;

  /** The id of the session or, if an API key asked for the ticket, of the key. */
  @Column('uuid', { name: 'session_id' })
  sessionId!: string;

  /** The end of the session or of the API key. Null for a key without an end. */
  @Column('timestamptz', { name: 'session_expires_at', nullable: true })
  sessionExpiresAt!: Date | null;

  /** The id of the API key that asked for the ticket. Null if a session asked for it. */
  @Column('uuid', { name: 'key_id', nullable: true })
  keyId!: string | null;

  /** The scopes of that key; null if a session asked for the ticket. */
  @Column('text', { name: 'key_scopes', array: true, nullable: true })
  keyScopes!: readonly string[] | null;

  /** The networks to which that key is bound; null if it works from every address. */
  @Column('text', { name: 'key_networks', array: true, nullable: true })
  keyNetworks!: readonly string[] | null;

  /** Shows that the service has written the row (`src/common/sealed-rows.ts`). */
  @Column('bytea')
  seal!: Buffer;

  /** The end of the ticket by the database's clock. */
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}

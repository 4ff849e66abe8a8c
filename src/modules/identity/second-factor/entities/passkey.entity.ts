import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { FactorOwner } from '../factors.types.js';

/** A WebAuthn credential of a user or an admin. Times are real time. */
@Entity('passkey')
export class Passkey {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text', { name: 'subject_type' })
  subjectType!: FactorOwner['type'];

  @Column('text', { name: 'subject_id' })
  subjectId!: string;

  /** The owner's name for it. */
  @Column('text')
  name!: string;

  /** base64url, as the authenticator has given it. */
  @Column('text', { name: 'credential_id' })
  credentialId!: string;

  /** COSE key. */
  @Column('bytea', { name: 'public_key' })
  publicKey!: Buffer;

  /** The authenticator's count of uses at the latest use. Many authenticators always report 0. */
  @Column('bigint', { name: 'sign_count', transformer: { from: Number, to: (value: number) => value } })
  signCount!: number;

  @Column('text', { array: true })
  transports!: readonly string[];

  /** Whether the owner's devices share the passkey: then it survives the loss of a device. */
  @Column('boolean', { name: 'backed_up' })
  backedUp!: boolean;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** Null before the first use. */
  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;

  /** Shows that the service has written the row: a seal of the columns that `SEALED_COLUMNS` lists (src/common/sealed-rows.ts). */
  @Column('bytea')
  seal!: Buffer;
}

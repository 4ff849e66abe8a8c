import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ApiKeyScope } from '../../../../http/auth/api-key-scopes.js';

/** An API key that is valid or has expired; revoked keys are deleted. Times are real time. */
@Entity('api_key')
export class ApiKey {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  /** `CredentialKeys.hashOf` of the key, which is not stored. */
  @Column('bytea', { name: 'key_hash', select: false })
  keyHash?: Buffer;

  /** Shows that the service has written the row (`src/common/sealed-rows.ts`). */
  @Column('bytea', { select: false })
  seal?: Buffer;

  /** The first characters of the key. */
  @Column('text')
  prefix!: string;

  @Column('text')
  name!: string;

  @Column('text', { array: true })
  scopes!: readonly ApiKeyScope[];

  /** CIDR; null: the key works from every address. */
  @Column('text', { array: true, nullable: true })
  networks!: readonly string[] | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** Null for a key that does not expire. */
  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  /** Time of the latest use, at most a minute behind; null before the first use, as `lastUsedFrom`. */
  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;

  /** IP address of the latest use, or `unknown`. */
  @Column('text', { name: 'last_used_from', nullable: true })
  lastUsedFrom!: string | null;
}

/** A network from which an API key was used. Times are real time. */
@Entity('api_key_use')
export class ApiKeyUse {
  @PrimaryColumn('uuid', { name: 'key_id' })
  keyId!: string;

  /**
   * An IPv4 address, the /64 network of an IPv6 address, `unknown` if the request had no address, or `many` and a day for the uses of that
   * day from too many new networks.
   */
  @PrimaryColumn('text')
  network!: string;

  @Column('timestamptz', { name: 'last_used_at' })
  lastUsedAt!: Date;
}

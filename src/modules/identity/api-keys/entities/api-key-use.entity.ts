import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A network from which an API key was used. Times are real time. */
@Entity('api_key_use')
export class ApiKeyUse {
  @PrimaryColumn('uuid', { name: 'key_id' })
  keyId!: string;

  /** An IPv4 address, the /64 network of an IPv6 address, or `unknown` if the request had no address. */
  @PrimaryColumn('text')
  network!: string;

  @Column('timestamptz', { name: 'last_used_at' })
  lastUsedAt!: Date;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A subject of the identity provider that has signed in to an account. */
@Entity('user_identity')
export class UserIdentity {
  @PrimaryColumn('uuid', { name: 'user_id' })
  userId!: string;

  /** The claim `sub`; empty for tokens without it. */
  @PrimaryColumn('text')
  subject!: string;

  @Column('timestamptz', { name: 'first_seen_at' })
  firstSeenAt!: Date;
}

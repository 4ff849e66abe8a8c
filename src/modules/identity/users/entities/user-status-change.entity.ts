import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { UserStatus } from '../users.types.js';

/** A change of a user's status by an admin, or the first status of a user whom an admin has created. */
@Entity('user_status_change')
export class UserStatusChange {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('text')
  status!: UserStatus;

  /** Null if the admin gave none. */
  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('timestamptz', { name: 'changed_at' })
  changedAt!: Date;

  /** The admin's e-mail address. */
  @Column('text', { name: 'changed_by' })
  changedBy!: string;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { UserStatus } from '../users.types.js';

@Entity('platform_user')
export class User {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  email!: string;

  @Column('text', { name: 'full_name', nullable: true })
  fullName!: string | null;

  @Column('text')
  status!: UserStatus;

  @Column('text')
  language!: string;

  @Column('text')
  currency!: string;

  @Column('boolean', { name: 'notify_email' })
  notifyEmail!: boolean;

  @Column('boolean', { name: 'notify_push' })
  notifyPush!: boolean;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: Date;

  @Column('timestamptz', { name: 'last_login_at', nullable: true })
  lastLoginAt!: Date | null;
}

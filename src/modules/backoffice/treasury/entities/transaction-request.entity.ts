import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { TransactionRequestStatus } from '../domain/transaction-request.state-machine.js';
import type { TransferPurpose } from '../domain/transfer-plan.js';

/** A request to an operator to carry out an approved transfer; the transfer holds amount and network. */
@Entity('transaction_request')
export class TransactionRequest {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'transaction_id' })
  transactionId!: string;

  @Column('text')
  type!: TransferPurpose;

  @Column('text')
  status!: TransactionRequestStatus;

  /** An admin's e-mail address, as is `assignedTo`. */
  @Column('text', { name: 'requested_by' })
  requestedBy!: string;

  @Column('text', { name: 'assigned_to', nullable: true })
  assignedTo!: string | null;

  /** Text by the admin who completed the request. */
  @Column('text', { nullable: true })
  note!: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'completed_at', nullable: true })
  completedAt!: Date | null;
}

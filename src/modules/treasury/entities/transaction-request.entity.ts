import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RequestStatus, TransferPurpose } from '../domain/transaction-request.state-machine.js';

/** An approved transfer, for an operator to carry out; what it moves stands in the transaction. */
@Entity('transaction_request')
export class TransactionRequest {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'transaction_id' })
  transactionId!: string;

  @Column('text')
  type!: TransferPurpose;

  @Column('text')
  status!: RequestStatus;

  @Column('text', { name: 'requested_by' })
  requestedBy!: string;

  @Column('text', { name: 'assigned_to', nullable: true })
  assignedTo!: string | null;

  @Column('text', { nullable: true })
  note!: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'completed_at', nullable: true })
  completedAt!: Date | null;
}

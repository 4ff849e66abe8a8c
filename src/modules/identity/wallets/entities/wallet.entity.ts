import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A link between an address and a user. Rows of ended links are kept. */
@Entity('wallet')
export class Wallet {
  @PrimaryColumn('uuid')
  id!: string;

  /** Checksummed (EIP-55). */
  @Column('text')
  address!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  /** When the wallet was linked, or linked again after a suspension. */
  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** Since when the wallet is suspended: it cannot sign in until it is linked again. Null if it is not suspended. */
  @Column('timestamptz', { name: 'suspended_at', nullable: true })
  suspendedAt!: Date | null;

  /** When the link ended; null while it exists. */
  @Column('timestamptz', { name: 'unlinked_at', nullable: true })
  unlinkedAt!: Date | null;

  /** Null for a wallet that cannot sign in (`src/common/sealed-rows.ts`). */
  @Column('bytea', { nullable: true })
  seal!: Buffer | null;
}

/** The nonce of a challenge that a wallet has not answered yet. */
@Entity('wallet_nonce')
export class WalletNonce {
  @PrimaryColumn('text')
  nonce!: string;

  /** Checksummed (EIP-55). */
  @Column('text')
  address!: string;

  /** Real time. */
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  /** Shows that the service has written the row (`src/common/sealed-rows.ts`). */
  @Column('bytea')
  seal!: Buffer;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';

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

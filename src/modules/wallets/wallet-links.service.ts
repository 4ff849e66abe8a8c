import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DomainEvents } from '../../database/domain-events.js';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import type { UserPrincipal } from '../../http/auth/principal.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { AuditService } from '../audit/audit.service.js';
import { SessionsService } from '../auth/sessions.service.js';
import type { SecurityEvent } from '../users/security.events.js';
import { checksummed } from './wallet-challenges.service.js';

/** A wallet that is linked to a user. */
export interface Wallet {
  readonly id: string;
  /** Checksummed. */
  readonly address: string;
  /** When it was linked. */
  readonly createdAt: Date;
  /** Since when it signs nobody in; null for one that does. */
  readonly suspendedAt: Date | null;
}

export interface UnlinkedWallet extends Pick<Wallet, 'id' | 'address'> {
  readonly unlinkedAt: Date;
}

/** Wallets of one user. Each is looked up on chain when their balances are asked for. */
const MAXIMUM_PER_USER = 10;

const COLUMNS = `id, address, created_at as "createdAt", suspended_at as "suspendedAt"`;

/** Links between wallets and users. Whatever changes a link locks the user's row first. */
@Injectable()
export class WalletLinksService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly unitOfWork: UnitOfWork,
    private readonly domainEvents: DomainEvents,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    private readonly sessions: SessionsService,
  ) {}

  /** A user's wallets, the first linked one first. At most ten. */
  async of(userId: string): Promise<Wallet[]> {
    return this.dataSource.query<Wallet[]>(
      `select ${COLUMNS} from wallet where user_id = $1 and unlinked_at is null order by created_at, address`,
      [userId],
    );
  }

  /** FOR NO KEY UPDATE: inserts that reference the user are not blocked. */
  async lockUser(tx: Tx, userId: string): Promise<void> {
    await tx.query('select 1 from platform_user where id = $1 for no key update', [userId]);
  }

  /** Links a wallet, or a suspended one anew. The caller has locked the user. Throws FORBIDDEN for somebody else's. */
  async link(tx: Tx, userId: string, given: string): Promise<Wallet> {
    const [address, at] = [checksummed(given), this.clock.now()];
    const [made] = await tx.query<Wallet[]>(
      `insert into wallet (address, user_id, created_at) values ($1, $2, $3)
       on conflict (lower(address)) where unlinked_at is null do update
         set created_at = excluded.created_at, suspended_at = null
         where wallet.user_id = excluded.user_id and wallet.suspended_at is not null
       returning ${COLUMNS}`,
      [address, userId, at],
    );
    if (!made) return this.linkedBefore(tx, userId, address);
    await this.requireRoom(tx, userId);
    const detail = `The wallet ${address} can sign in to your account now.`;
    await this.domainEvents.emit<SecurityEvent>(tx, { name: 'security.wallet-linked', userId, at, detail });
    return made;
  }

  /**
   * Ends a link of the user's own. Throws WALLET_NOT_FOUND, and INVALID_STATE for the last way in of a user whose e-mail
   * address the identity provider has not confirmed.
   */
  async unlinkOwn({ id: userId, email }: UserPrincipal, walletId: string): Promise<UnlinkedWallet> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      await this.lockUser(tx, userId);
      await this.requireOtherWayIn(tx, userId, walletId);
      return this.unlink(tx, userId, walletId, { by: { email } });
    });
  }

  /** Ends a link, and every session that this wallet has opened. The caller has locked the user. Throws WALLET_NOT_FOUND. */
  async unlink(
    tx: Tx,
    userId: string,
    walletId: string,
    { by, reason }: { by: { readonly email: string }; reason?: string | undefined },
  ): Promise<UnlinkedWallet> {
    const at = this.clock.now();
    const [rows] = await tx.query<[{ address: string }[], number]>(
      `update wallet set unlinked_at = $3 where id = $1 and user_id = $2 and unlinked_at is null returning address`,
      [walletId, userId, at],
    );
    const { address } = rows[0] ?? fail('WALLET_NOT_FOUND');
    await this.sessions.revokeOpenedBy(tx, walletId);
    const detail = `The wallet ${address} cannot sign in to your account any more. Its sessions have ended.`;
    await this.domainEvents.emit<SecurityEvent>(tx, { name: 'security.wallet-unlinked', userId, at, detail });
    await this.audit.record(tx, by, {
      action: 'wallet.unlink',
      subject: { type: 'user', id: userId },
      reason,
      before: { walletId, address },
      after: { walletId, unlinked: true },
    });
    return { id: walletId, address, unlinkedAt: at };
  }

  /** No wallet of the user signs in until it is linked anew. The caller has locked the user, and audits what is answered. */
  async suspendAll(tx: Tx, userId: string): Promise<string[]> {
    const at = this.clock.now();
    const [rows] = await tx.query<[{ address: string }[], number]>(
      `update wallet set suspended_at = $2 where user_id = $1 and unlinked_at is null and suspended_at is null
       returning address`,
      [userId, at],
    );
    const addresses = rows.map(({ address }) => address).sort();
    for (const address of addresses) {
      const detail = `Your e-mail address was changed. The wallet ${address} cannot sign in until you link it again.`;
      await this.domainEvents.emit<SecurityEvent>(tx, {
        name: 'security.wallet-suspended',
        userId,
        at,
        detail,
      });
    }
    return addresses;
  }

  private async linkedBefore(tx: Tx, userId: string, address: string): Promise<Wallet> {
    const [wallet] = await tx.query<Wallet[]>(
      `select ${COLUMNS} from wallet where address = $1 and user_id = $2 and unlinked_at is null`,
      [address, userId],
    );
    return wallet ?? fail('FORBIDDEN', undefined, { message: 'This wallet is linked to another account.' });
  }

  private async requireRoom(tx: Tx, userId: string): Promise<void> {
    const [row] = await tx.query<{ count: number }[]>(
      'select count(*)::int as count from wallet where user_id = $1 and unlinked_at is null',
      [userId],
    );
    if (!row || row.count <= MAXIMUM_PER_USER) return;
    const message = `at most ${MAXIMUM_PER_USER} wallets can be linked`;
    fail('VALIDATION_ERROR', [{ field: 'address', message }]);
  }

  private async requireOtherWayIn(tx: Tx, userId: string, walletId: string): Promise<void> {
    const [row] = await tx.query<{ isLast: boolean }[]>(
      `select not email_verified
              and exists (select from wallet where id = $2 and user_id = $1 and unlinked_at is null and suspended_at is null)
              and not exists (select from wallet where id <> $2 and user_id = $1
                                 and unlinked_at is null and suspended_at is null) as "isLast"
         from platform_user where id = $1`,
      [userId, walletId],
    );
    if (!row?.isLast) return;
    const message =
      'This wallet is the only way in to the account. Sign in by e-mail once, or link another wallet first.';
    fail('INVALID_STATE', { status: 'linked', action: 'unlink' }, { message });
  }
}

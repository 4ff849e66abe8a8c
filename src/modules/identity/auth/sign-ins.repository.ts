import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRow } from '../../../database/entity-rows.js';
import { prepared } from '../../../database/prepared.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { realNow } from '../../../common/clock.js';
import { countRows } from '../../../lists/count-rows.js';
import type { UserSession } from './auth.types.js';
import { Session, SignIn } from './entities/session.entity.js';
/** A refresh opens a session of a sign-in that has a row already. */
const ON_REFRESH = `on conflict (family_id) do update
  set last_seen_at = greatest(sign_in.last_seen_at, excluded.last_seen_at), expires_at = excluded.expires_at`;

/**
 * A user's sign-ins with a valid access token, or with a valid refresh token, which cookie sessions never receive.
 * Parameters: the user, the session of the request (nullable), the real time.
 */
const SELECT_OPEN_SIGN_INS = `
  select family_id as id, kind, device, created_at as "createdAt", last_seen_at as "lastSeenAt",
         family_id is not distinct from (select family_id from session where id = $2) as "isCurrent"
    from sign_in
   where user_id = $1 and sign_in.expires_at > $3
     and (exists (select from session
                   where session.family_id = sign_in.family_id and revoked_at is null and session.expires_at > $3)
          or (kind = 'bearer'
              and exists (select from refresh_token
                           where refresh_token.family_id = sign_in.family_id and spent_at is null
                             and revoked_at is null and refresh_token.expires_at > $3)))`;

/** The device and the network of a sign-in, compared with the earlier sign-ins of the user. */
interface KnownDevice {
  readonly isDeviceNew: boolean;
  /** The device has signed in before, but not from this network. */
  readonly isNetworkNew: boolean;
  /** The number of the user's pairs of a device and a network. A device without networks counts as a pair. */
  readonly pairs: number;
}

/**
 * Parameters: the user, the device, the network, the time. `xmax` is 0 in an inserted row. The subqueries do not see the rows
 * that the statement inserts. A device without networks is from an earlier version: its first network counts as known.
 */
const UPSERT_KNOWN_DEVICE = prepared(
  `with device as (
     insert into known_device (user_id, device, first_seen_at, last_seen_at) values ($1, $2, $4, $4)
     on conflict (user_id, device) do update set last_seen_at = excluded.last_seen_at
     returning xmax = 0 as is_new
   ), network as (
     insert into known_network (user_id, device, network, last_seen_at) values ($1, $2, $3, $4)
     on conflict (user_id, device, network) do update set last_seen_at = excluded.last_seen_at
     returning xmax = 0 as is_new
   )
   select device.is_new as "isDeviceNew",
          network.is_new and exists (select from known_network where user_id = $1 and device = $2) as "isNetworkNew",
          (select count(*)::int
             from known_device left join known_network using (user_id, device) where user_id = $1) as pairs
     from device, network`,
);

/** Parameters: the user, the number of pairs to keep. */
const DELETE_OLDEST_DEVICES = `
  with pair as (
    select device, network,
           row_number() over (order by coalesce(known_network.last_seen_at, known_device.last_seen_at) desc, device, network) as rank
      from known_device left join known_network using (user_id, device) where user_id = $1
  ), old_device as (
    delete from known_device
     where user_id = $1 and device not in (select device from pair where rank <= $2)
  )
  delete from known_network using pair
   where user_id = $1 and known_network.device = pair.device and known_network.network = pair.network and rank > $2`;

/**
 * Sign-ins of users, and the devices from which users signed in. A sign-in ends when its sessions and refresh tokens are
 * revoked or have expired; its row stays for 90 days.
 */
@Injectable()
export class SignInsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Inserts a session of a user, and its sign-in; if the sign-in has a row already, updates the times of this row. */
  insertUserSession(tx: Tx, session: Omit<Session, 'revokedAt' | 'lastSeenAt'>, signIn: SignIn): void {
    insertRow(tx, SignIn, signIn, ON_REFRESH);
    insertRow(tx, Session, session);
  }

  /** Open and ended sign-ins of a user, the newest first. */
  findSignIns(userId: string, limit: number): Promise<SignIn[]> {
    return this.dataSource.manager.find(SignIn, {
      where: { userId },
      order: { createdAt: 'DESC', familyId: 'DESC' },
      take: limit,
    });
  }

  /** Open sign-ins of a user: that of the current session first, then the newest first. */
  findOpenSignIns(
    userId: string,
    currentSessionId: string | null,
    limit: number,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<UserSession[]> {
    return manager.query(
      `${SELECT_OPEN_SIGN_INS} order by "isCurrent" desc, created_at desc, family_id limit $4`,
      [userId, currentSessionId, realNow(), limit],
    );
  }

  async findOpenSignIn(
    tx: Tx,
    userId: string,
    currentSessionId: string,
    familyId: string,
  ): Promise<UserSession | undefined> {
    const [signIn] = await tx.query<UserSession[]>(`${SELECT_OPEN_SIGN_INS} and family_id = $4`, [
      userId,
      currentSessionId,
      realNow(),
      familyId,
    ]);
    return signIn;
  }

  /** Counts the open sign-ins of a user except that of the session `exceptSessionId`. */
  countOpenSignIns(tx: Tx, userId: string, exceptSessionId: string | null): Promise<number> {
    const others = `(${SELECT_OPEN_SIGN_INS}) as open where not "isCurrent"`;
    return countRows(tx, others, [userId, exceptSessionId, realNow()]);
  }

  /** Locks the rows in the order of their ids, as `SessionsRepository.updateLastSeen` does. */
  async deleteSignInsOfUser(tx: Tx, userId: string): Promise<void> {
    await tx.find(SignIn, {
      select: { familyId: true },
      where: { userId },
      order: { familyId: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
    await tx.delete(SignIn, { userId });
  }

  /** Records a sign-in from a device in a network, both given by their hashes, and compares them with earlier sign-ins. */
  async upsertKnownDevice(
    tx: Tx,
    userId: string,
    { device, network }: { readonly device: Buffer; readonly network: Buffer },
    seenAt: Date,
  ): Promise<KnownDevice> {
    const [known] = await tx.query<[KnownDevice]>(UPSERT_KNOWN_DEVICE, [userId, device, network, seenAt]);
    return known;
  }

  async deleteDevicesOfUser(tx: Tx, userId: string): Promise<void> {
    await tx.query('delete from known_device where user_id = $1', [userId]);
  }

  /**
   * Deletes all but the `keptCount` pairs of a device and a network that were used last, and the devices that are in none of the kept
   * pairs. A device without networks counts as a pair.
   */
  async deleteOldestDevices(tx: Tx, userId: string, keptCount: number): Promise<void> {
    await tx.query(DELETE_OLDEST_DEVICES, [userId, keptCount]);
  }
}

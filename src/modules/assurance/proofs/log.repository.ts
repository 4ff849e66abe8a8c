import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { prepared } from '../../../database/prepared.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { NONCE_BYTES } from './domain/sum-tree.js';
import type { StoredTile, TilePlace } from './domain/tiles.js';
import type { LogState, SignedCheckpoint, StoredLeaf, TransactionLeaves } from './proofs.types.js';

// `float8`, because the driver returns a bigint as text; the numbers are below 2^53 and therefore exact.
const STATE = `origin, size::float8 as size, sealed_entry_id::float8 as "sealedEntryId", restored_at as "restoredAt"`;

const FIND_STATE = prepared(`select ${STATE} from proof_log`);
const LOCK_STATE = prepared(`select ${STATE} from proof_log for update`);

const INSERT_TRANSACTION_LEAVES = prepared(`
  insert into proof_leaf (leaf_index, transaction_id, nonce)
  select $1::bigint + place - 1, id, substr($3::bytea, (place - 1)::int * ${NONCE_BYTES} + 1, ${NONCE_BYTES})
    from unnest($2::uuid[]) with ordinality as leaf(id, place)`);

const INSERT_TEXT_LEAVES = prepared(`
  insert into proof_leaf (leaf_index, text)
  select $1::bigint + place - 1, text from unnest($2::text[]) with ordinality as leaf(text, place)`);

const LEAF = `leaf_index::float8 as "leafIndex", transaction_id as "transactionId", nonce`;
/** Larger than every size. */
const ABOVE_ALL_SIZES = 2 ** 53;
const CHECKPOINT = 'size::float8 as size, root, at, note';

const FIND_TILES = prepared(`
  select level, n::float8 as n, hashes from proof_tile
   where (level, n) in (select * from unnest($1::smallint[], $2::bigint[]))`);

const SAVE_TILES = prepared(`
  insert into proof_tile (level, n, hashes)
  select level, n, hashes from unnest($1::smallint[], $2::bigint[], $3::bytea[]) as tile(level, n, hashes)
  on conflict (level, n) do update set hashes = excluded.hashes`);

/** The state of the log, its leaves, tiles, checkpoints and keys. */
@Injectable()
export class LogRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Undefined before the log is opened. */
  async findState(): Promise<LogState | undefined> {
    const [state] = await this.dataSource.query<LogState[]>(FIND_STATE);
    return state;
  }

  /** Locks the state. Waits for the end of every other transaction that changes the log. */
  async lockState(tx: Tx): Promise<LogState> {
    const [state] = await tx.query<[LogState]>(LOCK_STATE);
    return state;
  }

  /** False if the log exists already. */
  async insertLog(tx: Tx, origin: string): Promise<boolean> {
    const rows = await tx.query<unknown[]>(
      `insert into proof_log (origin, size, sealed_entry_id) values ($1, 0, 0) on conflict do nothing returning id`,
      [origin],
    );
    return rows.length > 0;
  }

  async insertKeys(tx: Tx, publicKeys: readonly Buffer[], now: Date): Promise<void> {
    await tx.query(
      prepared(
        `insert into proof_key (public_key, used_since) select key, $2 from unnest($1::bytea[]) as key on conflict do nothing`,
      ),
      [publicKeys, now],
    );
  }

  /** By the time at which a process first recorded them, newest first. */
  async findPublicKeys(): Promise<Buffer[]> {
    const keys = await this.dataSource.query<{ key: Buffer }[]>(
      prepared('select public_key as key from proof_key order by used_since desc, public_key'),
    );
    return keys.map(({ key }) => key);
  }

  async insertCheckpoint(tx: Tx, { size, root, at, note }: SignedCheckpoint): Promise<void> {
    await tx.query(prepared('insert into proof_checkpoint (size, root, at, note) values ($1, $2, $3, $4)'), [
      size,
      root,
      at,
      note,
    ]);
  }

  async findCheckpointRoot(tx: Tx, size: number): Promise<Buffer | undefined> {
    const [row] = await tx.query<{ root: Buffer }[]>(
      prepared('select root from proof_checkpoint where size = $1'),
      [size],
    );
    return row?.root;
  }

  /** The checkpoint of the largest size. Undefined before the log is opened. */
  async findNewestCheckpoint(
    manager: EntityManager = this.dataSource.manager,
  ): Promise<SignedCheckpoint | undefined> {
    const [checkpoint] = await manager.query<SignedCheckpoint[]>(
      prepared(`select ${CHECKPOINT} from proof_checkpoint order by size desc limit 1`),
    );
    return checkpoint;
  }

  /** Deletes up to `limit` checkpoints older than `before`, except the last one of each UTC day. Returns their number. */
  async deleteCheckpointsBefore(before: Date, limit: number): Promise<number> {
    const [, deleted] = await this.dataSource.query<[unknown, number]>(
      `delete from proof_checkpoint where size in (
         select size from proof_checkpoint as old
          where at < $1
            and exists (select from proof_checkpoint as later
                         where later.size > old.size and later.at >= old.at
                           and later.at < date_trunc('day', old.at, 'UTC') + interval '1 day')
          order by at limit $2)`,
      [before, limit],
    );
    return deleted;
  }

  /** Newest first. `before`: only checkpoints with fewer leaves than it. */
  findCheckpoints(before: number | undefined, limit: number): Promise<SignedCheckpoint[]> {
    return this.dataSource.query(
      prepared(
        `select ${CHECKPOINT} from proof_checkpoint where size < coalesce($1, ${ABOVE_ALL_SIZES}) order by size desc limit $2`,
      ),
      [before, limit],
    );
  }

  /** Tiles that do not exist are left out. */
  findTiles(
    places: readonly TilePlace[],
    manager: EntityManager = this.dataSource.manager,
  ): Promise<StoredTile[]> {
    return manager.query(FIND_TILES, [places.map(({ level }) => level), places.map(({ n }) => n)]);
  }

  async insertTransactionLeaves(
    tx: Tx,
    firstIndex: number,
    { ids, nonces }: TransactionLeaves,
  ): Promise<void> {
    await tx.query(INSERT_TRANSACTION_LEAVES, [firstIndex, ids, nonces]);
  }

  async insertTextLeaves(tx: Tx, firstIndex: number, texts: readonly string[]): Promise<void> {
    await tx.query(INSERT_TEXT_LEAVES, [firstIndex, texts]);
  }

  /** In the order of the log; transactions that are not in it yet are left out. */
  findLeavesOfTransactions(transactionIds: readonly string[]): Promise<StoredLeaf[]> {
    return this.dataSource.query(
      prepared(`select ${LEAF} from proof_leaf where transaction_id = any($1) order by leaf_index`),
      [transactionIds],
    );
  }

  async saveTiles(tx: Tx, tiles: readonly StoredTile[]): Promise<void> {
    await tx.query(SAVE_TILES, [
      tiles.map(({ level }) => level),
      tiles.map(({ n }) => n),
      tiles.map(({ hashes }) => hashes),
    ]);
  }

  /** Clears the restored mark, so that sealing resumes. */
  async clearRestored(tx: Tx): Promise<void> {
    await tx.query('update proof_log set restored_at = null');
  }

  async updateState(
    tx: Tx,
    { size, sealedEntryId }: Pick<LogState, 'size' | 'sealedEntryId'>,
  ): Promise<void> {
    await tx.query(prepared('update proof_log set size = $1, sealed_entry_id = $2'), [size, sealedEntryId]);
  }
}

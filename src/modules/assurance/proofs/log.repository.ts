import { Injectable } from '@nestjs/common';
import { DataSource, LessThan, type EntityManager } from 'typeorm';
import { findRow, findRows, insertIfNew, insertRow, updateRow } from '../../../database/entity-rows.js';
import { PREPARED } from '../../../database/prepared.js';
import { write } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { deleteBatch } from '../../../jobs/delete-batch.js';
import { NONCE_BYTES } from './domain/sum-tree.js';
import type { StoredTile, TilePlace } from './domain/tiles.js';
import { ProofCheckpoint, ProofKey, ProofLeaf, ProofLog, ProofTile } from './entities/log.entity.js';
import type { LogState, SignedCheckpoint, StoredLeaf, TransactionLeaves } from './proofs.types.js';

/** The id of the only row of `proof_log`. */
const THE_LOG = true;

const INSERT_TRANSACTION_LEAVES = `
  insert into proof_leaf (leaf_index, transaction_id, nonce)
  select $1::bigint + place - 1, id, substr($3::bytea, (place - 1)::int * ${NONCE_BYTES} + 1, ${NONCE_BYTES})
    from unnest($2::uuid[]) with ordinality as leaf(id, place)`;

const AT_PLACES = 'where (level, n) in (select * from unnest($1::smallint[], $2::bigint[]))';

const SAVE_TILES = `
  insert into proof_tile (level, n, hashes)
  select level, n, hashes from unnest($1::smallint[], $2::bigint[], $3::bytea[]) as tile(level, n, hashes)
  on conflict (level, n) do update set hashes = excluded.hashes`;

/** SQL: the first entry of every transaction in the log has an id up to this one; null before the log is opened. */
export const SEALED_ENTRY_ID = '(select sealed_entry_id from proof_log)';

/** SQL: the UTC day of the first checkpoint; null before the log is opened. */
export const FIRST_CHECKPOINT_DAY = `(select (min(at) at time zone 'UTC')::date from proof_checkpoint)`;

/** SQL condition: the log is open and not marked as restored, so that leaves can be appended. */
export const TAKES_LEAVES = 'exists (select from proof_log where restored_at is null)';

/** The state of the log, its leaves, tiles, checkpoints and keys. */
@Injectable()
export class LogRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Undefined before the log is opened. */
  findState(): Promise<LogState | undefined> {
    return findRow(this.dataSource.manager, ProofLog, '');
  }

  /** Locks the state. Waits for the end of every other transaction that changes the log. */
  async lockState(tx: Tx): Promise<LogState> {
    return (await findRow(tx, ProofLog, 'for update')) as LogState;
  }

  /** False if the log exists already. */
  insertLog(tx: Tx, origin: string): Promise<boolean> {
    return insertIfNew(tx, ProofLog, { id: THE_LOG, origin, size: 0, sealedEntryId: 0 });
  }

  insertKeys(tx: Tx, publicKeys: readonly Buffer[], usedSince: Date): void {
    for (const publicKey of publicKeys)
      insertRow(tx, ProofKey, { publicKey, usedSince }, 'on conflict do nothing');
  }

  /** By the time at which a process first recorded them, newest first. */
  async findPublicKeys(): Promise<Buffer[]> {
    const order = { usedSince: 'DESC', publicKey: 'ASC' } as const;
    const keys = await this.dataSource.manager.find(ProofKey, { order, comment: PREPARED });
    return keys.map(({ publicKey }) => publicKey);
  }

  insertCheckpoint(tx: Tx, checkpoint: SignedCheckpoint): void {
    insertRow(tx, ProofCheckpoint, checkpoint);
  }

  async findCheckpointRoot(tx: Tx, size: number): Promise<Buffer | undefined> {
    return (await tx.findOneBy(ProofCheckpoint, { size }))?.root;
  }

  /** The checkpoint of the largest size. Undefined before the log is opened. */
  findNewestCheckpoint(
    manager: EntityManager = this.dataSource.manager,
  ): Promise<SignedCheckpoint | undefined> {
    return findRow(manager, ProofCheckpoint, 'order by size desc limit 1');
  }

  /** Deletes a batch of the checkpoints before `before`, except the last one of each UTC day. Returns their number. */
  deleteCheckpointsBefore(before: Date): Promise<number> {
    const table = 'proof_checkpoint';
    const condition = `at < $1
      and exists (select from proof_checkpoint as later
                   where later.size > proof_checkpoint.size and later.at >= proof_checkpoint.at
                     and later.at < date_trunc('day', proof_checkpoint.at, 'UTC') + interval '1 day')`;
    return deleteBatch(this.dataSource.manager, { table, condition, parameters: [before], orderBy: 'at' });
  }

  /** Newest first. `before`: only checkpoints with fewer leaves than it. */
  findCheckpoints(before: number | undefined, limit: number): Promise<SignedCheckpoint[]> {
    return this.dataSource.manager.find(ProofCheckpoint, {
      where: before === undefined ? {} : { size: LessThan(before) },
      order: { size: 'DESC' },
      take: limit,
    });
  }

  /** Tiles that do not exist are left out. */
  findTiles(
    places: readonly TilePlace[],
    manager: EntityManager = this.dataSource.manager,
  ): Promise<StoredTile[]> {
    const parameters = [places.map(({ level }) => level), places.map(({ n }) => n)];
    return findRows(manager, ProofTile, AT_PLACES, parameters);
  }

  insertTransactionLeaves(tx: Tx, firstIndex: number, { ids, nonces }: TransactionLeaves): void {
    write(tx, INSERT_TRANSACTION_LEAVES, [firstIndex, ids, nonces]);
  }

  insertTextLeaves(tx: Tx, firstIndex: number, texts: readonly string[]): void {
    for (const [index, text] of texts.entries())
      insertRow(tx, ProofLeaf, { leafIndex: firstIndex + index, text });
  }

  /** In the order of the log; transactions that are not in it yet are left out. */
  async findLeavesOfTransactions(transactionIds: readonly string[]): Promise<StoredLeaf[]> {
    const tail = 'where transaction_id = any($1) order by leaf_index';
    const leaves = await findRows(this.dataSource.manager, ProofLeaf, tail, [transactionIds]);
    return leaves as StoredLeaf[]; // leaves of transactions have a nonce
  }

  saveTiles(tx: Tx, tiles: readonly StoredTile[]): void {
    write(tx, SAVE_TILES, [
      tiles.map(({ level }) => level),
      tiles.map(({ n }) => n),
      tiles.map(({ hashes }) => hashes),
    ]);
  }

  /** Clears the restored mark, so that sealing resumes. */
  clearRestored(tx: Tx): void {
    updateRow(tx, ProofLog, THE_LOG, { restoredAt: null });
  }

  updateState(tx: Tx, { size, sealedEntryId }: Pick<LogState, 'size' | 'sealedEntryId'>): void {
    updateRow(tx, ProofLog, THE_LOG, { size, sealedEntryId });
  }
}

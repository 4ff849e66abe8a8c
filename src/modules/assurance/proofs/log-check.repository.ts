import { Injectable } from '@nestjs/common';
import type { Snapshot } from '../../../database/snapshots.js';
import { LEAF_ENTRIES_SQL, leafAmountSql, leafHashSql, leafTextSql } from './committed-entries.repository.js';
import { FULL_TILE_BYTES, type StoredTile } from './domain/tiles.js';
import { SEALED_ENTRY_ID } from './log.repository.js';
import type { LogState, SignedCheckpoint } from './proofs.types.js';

// Reads tables of the module ledger. PostgreSQL sorts on disk if the ledger is larger than its working memory.
const TEXTS = `
  select transaction_id, ${LEAF_ENTRIES_SQL} as entries, min(entry.effective_at) as earliest, max(entry.effective_at) as latest
    from ledger_entry as entry join ledger_account as account on account.id = entry.account_id
   group by transaction_id`;

// Leaves have the time of the transaction in milliseconds; liabilities, statements and audit packs use the time of its entries.
const IS_TIME_CHANGED = `
  earliest <> posted.effective_at or latest <> posted.effective_at
    or posted.effective_at <> date_trunc('milliseconds', posted.effective_at)`;

const HASHES = `
  select leaf_index, transaction_id, ${IS_TIME_CHANGED} as is_time_changed,
         ${leafHashSql(`coalesce(leaf.text, ${leafTextSql({ entries: 'texts.entries', nonce: 'leaf.nonce' })})`)} as hash
    from proof_leaf as leaf
    left join ledger_transaction as posted on posted.id = leaf.transaction_id
    left join (${TEXTS}) as texts using (transaction_id)`;

// `concat` leaves out the transaction of a leaf that has none, such as the liabilities of a day.
const CHANGED_LEAVES = `
  select case when is_changed then concat('leaf ', leaf_index, ' of transaction ' || transaction_id)
              else concat('time of transaction ', transaction_id) end as subject
    from (select leaf_index, transaction_id, is_time_changed,
                 hash is distinct from substr(tile.hashes, (leaf_index % 256)::int * 32 + 1, 32) as is_changed
            from (${HASHES}) as computed
            left join proof_tile as tile on tile.level = 0 and tile.n = leaf_index / 256) as compared
   where is_changed or is_time_changed`;

// Reads a table of the module liabilities. Composes texts as `liabilitiesLeafText` does. The full join also finds leaves without a tree: day is null.
const CHANGED_LIABILITIES = `
  select coalesce('liabilities of ' || day || ' in ' || asset, concat('leaf ', leaf_index, ' of liabilities'))
    from liability_tree as tree
    full join (select leaf_index, text from proof_leaf where text is not null) as leaf using (leaf_index)
   where text is distinct from format(
           '{"asset":%s,"day":"%s","kind":"liabilities","leaves":%s,"root":"%s","total":"%s","v":1}', to_json(asset),
           to_char(day, 'YYYY-MM-DD'), leaves, encode(root, 'base64'), ${leafAmountSql('total')})`;

// One row for each range of missing leaves, not for each leaf: a changed size can claim any number of leaves. The
// comparison of the count with the size spares an intact log the window function.
const MISSING_LEAVES = `
  select case when first = last then concat('leaf ', first) else concat('leaves ', first, ' to ', last) end
    from (select lag(leaf_index, 1, -1::bigint) over (order by leaf_index) + 1 as first, leaf_index - 1 as last
            from proof_leaf where (select count(*) from proof_leaf) <> (select size from proof_log)
          union all
          select coalesce(max(leaf_index), -1) + 1, (select size from proof_log) - 1 from proof_leaf) as missing
   where first <= last`;

const UNSEALED_TRANSACTIONS = `
  select distinct concat('transaction ', transaction_id)
    from ledger_entry as entry
   where id <= ${SEALED_ENTRY_ID}
     and not exists (select from proof_leaf where proof_leaf.transaction_id = entry.transaction_id)`;

const DEVIATIONS = `
  select subject, count(*) over ()::float8 as total
    from (${[CHANGED_LEAVES, CHANGED_LIABILITIES, MISSING_LEAVES, UNSEALED_TRANSACTIONS].join(' union all ')}) as deviation
   order by subject limit $1`;

/** Tiles in memory at once: 16 × 8 kB = 128 kB. */
const TILES_AT_ONCE = 16;

/** Reads the whole log from one snapshot, with bounded memory. */
@Injectable()
export class LogCheckRepository {
  /** Undefined before the log is opened. */
  async findState(snapshot: Snapshot): Promise<LogState | undefined> {
    const [state] = await snapshot.query<LogState>(
      'select origin, size::float8 as size, sealed_entry_id::float8 as "sealedEntryId", restored_at as "restoredAt" from proof_log',
      [],
    );
    return state;
  }

  async findNewestCheckpoint(snapshot: Snapshot): Promise<SignedCheckpoint | undefined> {
    const [checkpoint] = await snapshot.query<SignedCheckpoint>(
      'select size::float8 as size, root, at, note from proof_checkpoint order by size desc limit 1',
      [],
    );
    return checkpoint;
  }

  /** One more than the highest index of a stored leaf; 0 without leaves. */
  async getEndOfLeaves(snapshot: Snapshot): Promise<number> {
    const [row] = await snapshot.query<{ end: number }>(
      'select (coalesce(max(leaf_index), -1) + 1)::float8 as "end" from proof_leaf',
      [],
    );
    return row?.end ?? 0;
  }

  /**
   * Leaves that are missing or whose hash is not in the tile, transactions whose entries have another time, liabilities of days
   * that differ from their leaves, and transactions that are missing in the log. `total` counts those above the limit, too.
   */
  findLeafDeviations(snapshot: Snapshot, limit: number): Promise<{ subject: string; total: number }[]> {
    return snapshot.query(DEVIATIONS, [limit]);
  }

  async *streamFullTiles(snapshot: Snapshot, level: number): AsyncGenerator<StoredTile, void> {
    const sql = `select level, n::float8 as n, hashes from proof_tile
                  where level = $1 and octet_length(hashes) = ${FULL_TILE_BYTES} order by n`;
    for await (const tiles of snapshot.batches<StoredTile>(sql, [level], TILES_AT_ONCE)) yield* tiles;
  }

  async findTile(snapshot: Snapshot, level: number, n: number): Promise<Buffer | undefined> {
    const [tile] = await snapshot.query<{ hashes: Buffer }>(
      'select hashes from proof_tile where level = $1 and n = $2',
      [level, n],
    );
    return tile?.hashes;
  }

  async findPublicKeys(snapshot: Snapshot): Promise<Buffer[]> {
    const keys = await snapshot.query<{ key: Buffer }>('select public_key as key from proof_key', []);
    return keys.map(({ key }) => key);
  }
}

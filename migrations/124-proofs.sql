-- The transparency log over the ledger: an append-only Merkle tree whose leaves are the posted transactions. Rows of the log
-- never change, so that a proof that was given once can be given again. Then the proof of liabilities.

-- Sealing locks the row, so that two processes cannot append at once.
create table proof_log (
  id              boolean primary key default true,
  origin          text not null,
  size            bigint not null,
  sealed_entry_id bigint not null,
  restored_at     timestamptz,
  constraint proof_log_single check (id),
  constraint proof_log_size check (size >= 0 and sealed_entry_id >= 0)
);
comment on table proof_log is 'The state of the transparency log; one row.';
comment on column proof_log.id is 'always true';
comment on column proof_log.origin is 'name of the log and of its keys; never changes';
comment on column proof_log.size is 'number of leaves, that of the newest checkpoint';
comment on column proof_log.sealed_entry_id is 'every posting whose first entry has an id up to this one is in the log';
comment on column proof_log.restored_at is 'domain time of a restore; nothing is sealed until an admin has decided how the log goes on';

create function proof_log_apply() returns trigger language plpgsql as $$
begin
  if new.origin <> old.origin or new.size < old.size or new.sealed_entry_id < old.sealed_entry_id then
    raise exception 'proofs: the log keeps its origin and does not shrink' using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
create trigger proof_log_grows before update on proof_log for each row execute function proof_log_apply();
create trigger proof_log_permanent before delete or truncate on proof_log
  for each statement execute function refuse_change();

-- The text of a posting is computed again from the posting and its nonce.
create table proof_leaf (
  leaf_index     bigint primary key,
  transaction_id uuid unique,
  nonce          bytea,
  text           text,
  constraint proof_leaf_index check (leaf_index >= 0),
  constraint proof_leaf_kind check
    ((transaction_id is null) = (text is not null) and (transaction_id is null) = (nonce is null)),
  constraint proof_leaf_nonce check (octet_length(nonce) = 16)
);
comment on table proof_leaf is 'Leaves of the transparency log: a posting with its nonce, or a text.';
comment on column proof_leaf.leaf_index is 'place in the log, from 0';
comment on column proof_leaf.transaction_id is 'the posting; null for a text';
comment on column proof_leaf.nonce is 'random, so that the contents cannot be guessed from the hash';
comment on column proof_leaf.text is 'JSON of a leaf that is not a posting';

create trigger proof_leaf_immutable before update or delete or truncate on proof_leaf
  for each statement execute function refuse_change();

-- The last tile of each level grows until it is full.
create table proof_tile (
  level  smallint not null,
  n      bigint not null,
  hashes bytea not null,
  primary key (level, n),
  constraint proof_tile_place check (level between 0 and 6 and n >= 0),
  constraint proof_tile_hashes check (octet_length(hashes) between 32 and 8192 and octet_length(hashes) % 32 = 0)
);
alter table proof_tile alter column hashes set storage external; -- hashes cannot be compressed
comment on table proof_tile is 'Hashes of the transparency log: up to 256 of leaves (level 0), or of full tiles of the level below.';
comment on column proof_tile.level is '0 for leaves';
comment on column proof_tile.n is 'number of the tile in its level';
comment on column proof_tile.hashes is '32 bytes each';

create function proof_tile_apply() returns trigger language plpgsql as $$
begin
  if (new.level, new.n) <> (old.level, old.n) or substr(new.hashes, 1, octet_length(old.hashes)) <> old.hashes then
    raise exception 'proofs: a tile keeps the hashes that it has' using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
create trigger proof_tile_grows before update on proof_tile for each row execute function proof_tile_apply();
create trigger proof_tile_permanent before delete or truncate on proof_tile
  for each statement execute function refuse_change();

create table proof_checkpoint (
  size bigint primary key,
  root bytea not null,
  at   timestamptz not null,
  note text not null,
  constraint proof_checkpoint_size check (size >= 0),
  constraint proof_checkpoint_root check (octet_length(root) = 32)
);
comment on table proof_checkpoint is 'Signed states of the transparency log, as they were published.';
comment on column proof_checkpoint.size is 'number of leaves';
comment on column proof_checkpoint.root is 'hash of the root';
comment on column proof_checkpoint.at is 'domain time of the signature';
comment on column proof_checkpoint.note is 'the signed text';

create index proof_checkpoint_age on proof_checkpoint (at);

create trigger proof_checkpoint_immutable before update or truncate on proof_checkpoint
  for each statement execute function refuse_change(); -- old ones are deleted

create table proof_key (
  public_key bytea primary key,
  used_since timestamptz not null,
  constraint proof_key_length check (octet_length(public_key) = 32)
);
comment on table proof_key is 'Public keys with which checkpoints were signed.';
comment on column proof_key.public_key is 'Ed25519';
comment on column proof_key.used_since is 'domain time of the first checkpoint';

create trigger proof_key_permanent before update or delete or truncate on proof_key
  for each statement execute function refuse_change();

create table liability_day (
  day       date primary key,
  closed_at timestamptz not null,
  lines     jsonb not null,
  constraint liability_day_lines check (jsonb_typeof(lines) = 'array')
);
comment on table liability_day is 'Closed days of the proof of liabilities, with the assets on that day.';
comment on column liability_day.day is 'the UTC day';
comment on column liability_day.closed_at is 'domain time at which the day was closed';
comment on column liability_day.lines is 'where the assets are: [{place, asset, amount, source, block, address}]';

create trigger liability_day_immutable before update or delete or truncate on liability_day
  for each statement execute function refuse_change();

create table liability_tree (
  id          uuid primary key,
  day         date not null references liability_day,
  asset       text not null,
  root        bytea not null,
  total       numeric not null,
  leaves      integer not null,
  shuffle_key bytea not null,
  leaf_index  bigint not null references proof_leaf,
  constraint liability_tree_of_day unique (day, asset),
  constraint liability_tree_root check (octet_length(root) = 32),
  constraint liability_tree_total check (total >= 0),
  constraint liability_tree_leaves check (leaves >= 0),
  constraint liability_tree_shuffle_key check (octet_length(shuffle_key) = 32)
);
comment on table liability_tree is 'The Merkle sum tree over all users of one asset on a closed day.';
comment on column liability_tree.id is 'identifier of the tree (UUID)';
comment on column liability_tree.day is 'the UTC day';
comment on column liability_tree.asset is 'USDC or ETH';
comment on column liability_tree.root is 'hash of the root';
comment on column liability_tree.total is 'sum of all leaves, in the asset';
comment on column liability_tree.leaves is 'number of users, without padding';
comment on column liability_tree.shuffle_key is 'random; leaves are in the order of SHA-256(shuffle_key || user id)';
comment on column liability_tree.leaf_index is 'index of the leaf of the transparency log that contains the root';

create trigger liability_tree_immutable before update or delete or truncate on liability_tree
  for each statement execute function refuse_change();

-- Up to 256 leaves that follow each other. Chunks are written before their tree, in many short transactions, since a long one
-- would delay live delivery. Chunks without a tree are left over from a closing that was interrupted.
create table liability_chunk (
  tree_id    uuid not null,
  number     integer not null,
  first_key  bytea not null,
  identities bytea not null,
  amounts    bytea not null,
  primary key (tree_id, number),
  constraint liability_chunk_place unique (tree_id, first_key),
  constraint liability_chunk_identities check
    (octet_length(identities) between 32 and 8192 and octet_length(identities) % 32 = 0),
  constraint liability_chunk_amounts check (octet_length(amounts) = 2 * octet_length(identities))
);
alter table liability_chunk alter column identities set storage external; -- random bytes cannot be compressed
comment on table liability_chunk is 'Up to 256 leaves of a tree of the proof of liabilities that follow each other.';
comment on column liability_chunk.tree_id is 'the tree; a chunk without its tree is left over from an interrupted closing';
comment on column liability_chunk.number is 'the first leaf has the index number × 256';
comment on column liability_chunk.first_key is 'SHA-256(shuffle_key || user id) of the first leaf';
comment on column liability_chunk.identities is 'of each leaf: user id and nonce, 16 bytes each';
comment on column liability_chunk.amounts is 'of each leaf: available, reserved, invested, held, in the smallest part, 16 bytes each';

create trigger liability_chunk_immutable before update on liability_chunk
  for each statement execute function refuse_change();

-- A level here is eight levels of the tree.
create table liability_nodes (
  tree_id uuid not null,
  level   smallint not null,
  number  integer not null,
  nodes   bytea not null,
  primary key (tree_id, level, number),
  constraint liability_nodes_size check (octet_length(nodes) between 96 and 12288 and octet_length(nodes) % 48 = 0)
);
alter table liability_nodes alter column nodes set storage external; -- hashes cannot be compressed
comment on table liability_nodes is 'Up to 256 nodes of a tree of the proof of liabilities that follow each other.';
comment on column liability_nodes.tree_id is 'the tree';
comment on column liability_nodes.level is '1, 2, …: the nodes are 8 × level above the leaves';
comment on column liability_nodes.number is 'the first node has the index number × 256';
comment on column liability_nodes.nodes is 'of each node: sum (16 bytes) and hash (32 bytes)';

create trigger liability_nodes_immutable before update on liability_nodes
  for each statement execute function refuse_change();

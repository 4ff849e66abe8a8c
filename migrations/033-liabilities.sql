-- The proof of liabilities: for each closed day one Merkle sum tree per asset over all users. Days and trees never change,
-- since the log contains their roots. The leaves are deleted after PROOF_RETENTION_DAYS.

create table liability_day (
  day       date primary key,
  closed_at timestamptz not null, -- domain time
  lines     jsonb not null,       -- where the assets are: [{"place", "asset", "amount", "source", "block", "address"}]
  constraint liability_day_lines check (jsonb_typeof(lines) = 'array')
);
create trigger liability_day_immutable before update or delete or truncate on liability_day
  for each statement execute function proof_refuse();

create table liability_tree (
  id          uuid primary key,
  day         date not null references liability_day,
  asset       text not null,
  root        bytea not null,
  total       numeric not null, -- of the asset
  leaves      integer not null, -- users, without padding
  shuffle_key bytea not null,   -- random; leaves are in the order of SHA-256(shuffle_key || user id)
  leaf_index  bigint not null references proof_leaf,
  constraint liability_tree_of_day unique (day, asset),
  constraint liability_tree_root check (octet_length(root) = 32),
  constraint liability_tree_total check (total >= 0),
  constraint liability_tree_leaves check (leaves >= 0),
  constraint liability_tree_shuffle_key check (octet_length(shuffle_key) = 32)
);
create trigger liability_tree_immutable before update or delete or truncate on liability_tree
  for each statement execute function proof_refuse();

-- Up to 256 leaves that follow each other. Chunks are written before their tree, in many short transactions, since a long one
-- would delay live delivery. Chunks without a tree are left over from a closing that was interrupted.
create table liability_chunk (
  tree_id    uuid,
  number     integer,        -- the first leaf has the index number × 256
  first_key  bytea not null, -- SHA-256(shuffle_key || user id) of the first leaf
  identities bytea not null, -- of each leaf: user id, nonce
  amounts    bytea not null, -- of each leaf: available, reserved, invested, held, in the smallest part, 16 bytes each
  primary key (tree_id, number),
  constraint liability_chunk_place unique (tree_id, first_key),
  constraint liability_chunk_identities check
    (octet_length(identities) between 32 and 8192 and octet_length(identities) % 32 = 0),
  constraint liability_chunk_amounts check (octet_length(amounts) = 2 * octet_length(identities))
);
alter table liability_chunk alter column identities set storage external; -- random bytes cannot be compressed
create trigger liability_chunk_immutable before update on liability_chunk
  for each statement execute function proof_refuse();

-- Up to 256 nodes that follow each other, 8 × level above the leaves.
create table liability_nodes (
  tree_id uuid,
  level   smallint,
  number  integer,
  nodes   bytea not null, -- of each node: sum (16 bytes), hash
  primary key (tree_id, level, number),
  constraint liability_nodes_size check (octet_length(nodes) between 96 and 12288 and octet_length(nodes) % 48 = 0)
);
alter table liability_nodes alter column nodes set storage external;
create trigger liability_nodes_immutable before update on liability_nodes
  for each statement execute function proof_refuse();

-- The transparency log over the ledger: an append-only Merkle tree whose leaves are the posted transactions. Rows of the log
-- never change, so that a proof that was given once can be given again.

create function proof_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'proofs: % of % is refused: the log is append-only', tg_op, tg_table_name
    using errcode = 'restrict_violation';
end
$$;

-- One row. Sealing locks it, so that two processes cannot append at once.
create table proof_log (
  id              boolean primary key default true,
  origin          text not null,   -- the name of the log and of its keys; never changes
  size            bigint not null, -- number of leaves, that of the newest checkpoint
  -- Every transaction whose first entry has an id up to this one is in the log.
  sealed_entry_id bigint not null,
  -- Set by a restore, since the database may be older than a published checkpoint. Nothing is sealed while it is set.
  restored_at     timestamptz,
  constraint proof_log_single check (id),
  constraint proof_log_size check (size >= 0 and sealed_entry_id >= 0)
);
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
  for each statement execute function proof_refuse();

-- A leaf is a ledger transaction with its nonce, from which its text is computed again, or a text of its own.
create table proof_leaf (
  leaf_index     bigint primary key,
  transaction_id uuid unique,
  nonce          bytea, -- random: without it the contents could be guessed from the hash
  text           text,
  constraint proof_leaf_index check (leaf_index >= 0),
  constraint proof_leaf_kind check ((transaction_id is null) = (text is not null) and (transaction_id is null) = (nonce is null)),
  constraint proof_leaf_nonce check (octet_length(nonce) = 16)
);
create trigger proof_leaf_immutable before update or delete or truncate on proof_leaf
  for each statement execute function proof_refuse();

-- Tile `n` of a level: up to 256 hashes of 32 bytes, of leaves at level 0, of full tiles of the level below otherwise. The
-- last tile of each level grows until it is full.
create table proof_tile (
  level  smallint,
  n      bigint,
  hashes bytea not null,
  primary key (level, n),
  constraint proof_tile_place check (level between 0 and 6 and n >= 0),
  constraint proof_tile_hashes check (octet_length(hashes) between 32 and 8192 and octet_length(hashes) % 32 = 0)
);
alter table proof_tile alter column hashes set storage external; -- hashes cannot be compressed
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
  for each statement execute function proof_refuse();

create table proof_checkpoint (
  size bigint primary key,
  root bytea not null,
  at   timestamptz not null, -- domain time
  note text not null,        -- as it was published
  constraint proof_checkpoint_size check (size >= 0),
  constraint proof_checkpoint_root check (octet_length(root) = 32)
);
create index proof_checkpoint_age on proof_checkpoint (at);
create trigger proof_checkpoint_immutable before update or truncate on proof_checkpoint
  for each statement execute function proof_refuse(); -- old ones are deleted

-- Every key that has signed anything that was published.
create table proof_key (
  public_key bytea primary key,
  used_since timestamptz not null, -- domain time
  constraint proof_key_length check (octet_length(public_key) = 32)
);
create trigger proof_key_permanent before update or delete or truncate on proof_key
  for each statement execute function proof_refuse();

-- Reconciliations: a provider's statement compared with the ledger and the chain, line by line, and the differences that
-- admins resolve. A reconciliation keeps the compared values; later corrections appear in a new reconciliation.

create table reconciliation (
  id            uuid primary key,
  source        text not null,
  format        text not null,
  first_day     date not null,
  last_day      date not null,
  fingerprint   text not null, -- of the statement and of the records that it was compared with
  made_by       text not null, -- an admin's e-mail address
  made_at       timestamptz not null,
  lines         integer not null, -- of the statement
  matched       integer not null,
  missing_here  integer not null,
  missing_there integer not null,
  differing     integer not null,
  unreadable    integer not null, -- items of the provider's list that could not be parsed
  chain_unread  integer not null, -- comparisons that needed the chain while it could not be read
  sums          jsonb not null,   -- by currency and direction; decimal strings
  constraint reconciliation_fingerprint unique (fingerprint),
  constraint reconciliation_source check (source in ('deposit-provider', 'custody')),
  constraint reconciliation_format check (format in ('provider', 'json', 'csv')),
  constraint reconciliation_pulled check (format <> 'provider' or source = 'deposit-provider'),
  constraint reconciliation_days check (first_day <= last_day),
  constraint reconciliation_counts check
    (lines >= 0 and matched >= 0 and missing_here >= 0 and missing_there >= 0 and differing >= 0
     and unreadable >= 0 and chain_unread >= 0)
);
create index reconciliation_by_time on reconciliation (made_at, id);

create table reconciliation_line (
  id                uuid primary key,
  reconciliation_id uuid not null references reconciliation,
  position          integer not null,
  outcome           text not null,
  differs           text[] not null,
  direction         text not null,
  currency          text not null,
  line              integer, -- its number in the statement
  duplicate_of      integer,
  there_reference   text,
  there_tx_hash     text,
  there_network     text,
  there_amount      numeric, -- as stated, with all its decimals
  there_status      text,
  there_at          timestamptz,
  here_type         text,
  here_ids          text[],
  here_tx_hash      text,
  here_network      text,
  here_amount       numeric, -- as the ledger has it, in the currency received
  here_status       text,
  here_at           timestamptz,
  difference        numeric not null, -- amount there minus amount here
  dust              numeric not null, -- decimals below those that the ledger credits
  chain_verdict     text,
  chain_amount      numeric,
  status            text, -- of a line that is not matched
  owner             text,
  resolution        text,
  note              text,
  proposed_by       text,
  proposed_at       timestamptz,
  resolved_by       text,
  resolved_at       timestamptz,
  constraint reconciliation_line_position unique (reconciliation_id, position),
  constraint reconciliation_line_outcome check (outcome in ('matched', 'missing-here', 'missing-there', 'differing')),
  constraint reconciliation_line_direction check (direction in ('in', 'out')),
  constraint reconciliation_line_there check
    (num_nonnulls(line, there_reference, there_amount, there_status, there_at)
      = case outcome when 'missing-there' then 0 else 5 end),
  constraint reconciliation_line_here check
    (num_nonnulls(here_type, here_ids, here_amount, here_status, here_at)
      in (5, case when outcome in ('missing-here', 'matched') then 0 else 5 end)
     and (outcome <> 'missing-here' or here_type is null)),
  constraint reconciliation_line_here_type check (here_type in ('deposit', 'withdrawal', 'treasury-transfer', 'admin-transaction')),
  constraint reconciliation_line_statuses check
    (there_status in ('settled', 'underway', 'failed') and here_status in ('settled', 'underway', 'failed')),
  constraint reconciliation_line_differs check ((outcome = 'differing') = (cardinality(differs) > 0)),
  constraint reconciliation_line_matched check (outcome <> 'matched' or difference = 0),
  constraint reconciliation_line_duplicate check (duplicate_of is null or outcome = 'missing-here'),
  constraint reconciliation_line_chain check
    (chain_verdict in ('both', 'there', 'here', 'neither', 'pending', 'unreachable', 'not-read')
     and (chain_amount is not null) = (coalesce(chain_verdict, '') in ('both', 'there', 'here', 'neither'))),
  constraint reconciliation_line_status check
    (status in ('open', 'assigned', 'proposed', 'resolved') and (status is null) = (outcome = 'matched')),
  constraint reconciliation_line_owner check ((owner is not null) = (coalesce(status, 'open') <> 'open')),
  constraint reconciliation_line_proposed check
    (num_nonnulls(resolution, note, proposed_by, proposed_at)
      = case when status in ('proposed', 'resolved') then 4 else 0 end),
  constraint reconciliation_line_resolved check
    (num_nonnulls(resolved_by, resolved_at) = case status when 'resolved' then 2 else 0 end),
  constraint reconciliation_line_four_eyes check (resolved_by <> proposed_by)
);
-- One index for each filter of a reconciliation's lines; the unique constraint's index serves the unfiltered list.
create index reconciliation_line_by_outcome on reconciliation_line (reconciliation_id, outcome, position);
create index reconciliation_line_by_status on reconciliation_line (reconciliation_id, status, position)
  where status is not null;
create index reconciliation_line_by_owner on reconciliation_line (reconciliation_id, owner, position)
  where owner is not null;

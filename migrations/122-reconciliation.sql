-- Reconciliations: a provider's statement compared with the ledger and the chain, line by line, and the differences that
-- admins resolve. A reconciliation keeps the compared values; later corrections appear in a new reconciliation.

create table reconciliation (
  id            uuid primary key,
  source        text not null,
  format        text not null,
  first_day     date not null,
  last_day      date not null,
  fingerprint   text not null,
  made_by       text not null,
  made_at       timestamptz not null,
  lines         integer not null,
  matched       integer not null,
  missing_here  integer not null,
  missing_there integer not null,
  differing     integer not null,
  unreadable    integer not null,
  chain_unread  integer not null,
  sums          jsonb not null,
  constraint reconciliation_fingerprint unique (fingerprint),
  constraint reconciliation_source check (source in ('deposit-provider', 'custody')),
  constraint reconciliation_format check (format in ('provider', 'json', 'csv')),
  constraint reconciliation_pulled check (format <> 'provider' or source = 'deposit-provider'),
  constraint reconciliation_days check (first_day <= last_day),
  constraint reconciliation_counts check
    (lines >= 0 and matched >= 0 and missing_here >= 0 and missing_there >= 0 and differing >= 0
     and unreadable >= 0 and chain_unread >= 0)
);
comment on table reconciliation is 'Comparisons of a provider''s statement with the ledger and the chain.';
comment on column reconciliation.id is 'identifier of the reconciliation (UUID)';
comment on column reconciliation.source is 'deposit-provider or custody';
comment on column reconciliation.format is 'provider (read from its list), json or csv';
comment on column reconciliation.first_day is 'first UTC day of the statement';
comment on column reconciliation.last_day is 'last UTC day of the statement';
comment on column reconciliation.fingerprint is 'of the statement and of the records that it was compared with';
comment on column reconciliation.made_by is 'e-mail address of the admin';
comment on column reconciliation.made_at is 'domain time';
comment on column reconciliation.lines is 'lines of the statement';
comment on column reconciliation.matched is 'lines that agree';
comment on column reconciliation.missing_here is 'lines without a record here';
comment on column reconciliation.missing_there is 'records here without a line';
comment on column reconciliation.differing is 'lines that differ from their record';
comment on column reconciliation.unreadable is 'items of the provider''s list that could not be parsed';
comment on column reconciliation.chain_unread is 'comparisons that needed the chain while it could not be read';
comment on column reconciliation.sums is 'by currency and direction, decimal strings';

create index reconciliation_by_time on reconciliation (made_at, id);

create trigger reconciliation_kept before update or delete or truncate on reconciliation
  for each statement execute function refuse_change();

create table reconciliation_line (
  id                uuid primary key,
  reconciliation_id uuid not null references reconciliation,
  position          integer not null,
  outcome           text not null,
  differs           text[] not null,
  direction         text not null,
  currency          text not null,
  line              integer,
  duplicate_of      integer,
  there_reference   text,
  there_tx_hash     text,
  there_network     text,
  there_amount      numeric,
  there_status      text,
  there_at          timestamptz,
  here_type         text,
  here_ids          text[],
  here_tx_hash      text,
  here_network      text,
  here_amount       numeric,
  here_status       text,
  here_at           timestamptz,
  difference        numeric not null,
  dust              numeric not null,
  chain_verdict     text,
  chain_amount      numeric,
  status            text,
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
  constraint reconciliation_line_here_type check
    (here_type in ('deposit', 'withdrawal', 'treasury-transfer', 'admin-transaction')),
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
comment on table reconciliation_line is 'Lines of a reconciliation: a line of the statement, the record here, and the resolution of their difference.';
comment on column reconciliation_line.id is 'identifier of the line (UUID)';
comment on column reconciliation_line.reconciliation_id is 'the reconciliation';
comment on column reconciliation_line.position is 'order in the reconciliation, from 0';
comment on column reconciliation_line.outcome is 'matched, missing-here, missing-there or differing';
comment on column reconciliation_line.differs is 'names of the fields that differ';
comment on column reconciliation_line.direction is 'in or out';
comment on column reconciliation_line.currency is 'of the amounts';
comment on column reconciliation_line.line is 'number in the statement';
comment on column reconciliation_line.duplicate_of is 'number of an earlier line with the same payment';
comment on column reconciliation_line.there_reference is 'identifier in the statement';
comment on column reconciliation_line.there_tx_hash is 'hash in the statement';
comment on column reconciliation_line.there_network is 'network in the statement';
comment on column reconciliation_line.there_amount is 'as stated, with all decimals';
comment on column reconciliation_line.there_status is 'settled, underway or failed';
comment on column reconciliation_line.there_at is 'time in the statement';
comment on column reconciliation_line.here_type is 'deposit, withdrawal, treasury-transfer or admin-transaction';
comment on column reconciliation_line.here_ids is 'identifiers of the records here';
comment on column reconciliation_line.here_tx_hash is 'hash of the record';
comment on column reconciliation_line.here_network is 'network of the record';
comment on column reconciliation_line.here_amount is 'as the ledger has it, in the currency received';
comment on column reconciliation_line.here_status is 'settled, underway or failed';
comment on column reconciliation_line.here_at is 'domain time of the record';
comment on column reconciliation_line.difference is 'amount there minus amount here';
comment on column reconciliation_line.dust is 'decimals below those that the ledger credits';
comment on column reconciliation_line.chain_verdict is 'which side the chain supports: both, there, here or neither; or pending, unreachable, not-read';
comment on column reconciliation_line.chain_amount is 'amount of the transfer on chain';
comment on column reconciliation_line.status is 'of a line that is not matched: open, assigned, proposed or resolved';
comment on column reconciliation_line.owner is 'e-mail address of the admin who works on it';
comment on column reconciliation_line.resolution is 'the proposed or confirmed resolution';
comment on column reconciliation_line.note is 'why';
comment on column reconciliation_line.proposed_by is 'e-mail address of the admin who proposed the resolution';
comment on column reconciliation_line.proposed_at is 'domain time of the proposal';
comment on column reconciliation_line.resolved_by is 'e-mail address of the second admin, who confirmed it';
comment on column reconciliation_line.resolved_at is 'domain time of the confirmation';

-- One index for each filter of a reconciliation's lines; the unique constraint's index serves the unfiltered list.
create index reconciliation_line_by_outcome on reconciliation_line (reconciliation_id, outcome, position);
create index reconciliation_line_by_status on reconciliation_line (reconciliation_id, status, position)
  where status is not null;
create index reconciliation_line_by_owner on reconciliation_line (reconciliation_id, owner, position)
  where owner is not null;
create index reconciliation_line_proposed on reconciliation_line (proposed_at, id) where status = 'proposed';
create index reconciliation_line_unresolved on reconciliation_line (reconciliation_id)
  where status in ('open', 'assigned', 'proposed');

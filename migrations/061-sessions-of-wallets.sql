-- Unlinking a wallet ends what was signed in by it: sessions and refresh tokens say which wallet opened their family.
alter table session add column wallet_id uuid references wallet on delete set null;
alter table refresh_token add column wallet_id uuid references wallet on delete set null;
create index session_of_wallet on session (wallet_id) where wallet_id is not null;
create index refresh_token_of_wallet on refresh_token (wallet_id) where wallet_id is not null;

-- A refresh token that was spent a moment ago answers its successor again: two tabs, or an answer that was lost. Tokens are
-- stored as hashes, so the successor is kept for those seconds, encrypted under a key that only the spent token yields.
alter table refresh_token add column successor bytea;
alter table refresh_token add constraint refresh_token_successor check (successor is null or spent_at is not null);
create index refresh_token_with_successor on refresh_token (spent_at) where successor is not null;

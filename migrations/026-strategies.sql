-- Strategies, filled from STRATEGIES_FILE when the service starts. A strategy that is removed from the file stays, for
-- the investments that were made in it.
create table strategy (
  id          text primary key,
  position    integer not null, -- place in the file, from 0
  name        text not null,
  description text not null,
  risk_level  text not null,
  apy         numeric not null, -- target, percent per year
  minimum     numeric not null, -- smallest investment, USDC
  maximum     numeric not null, -- largest investment, USDC
  protocols   jsonb not null,   -- [{"name", "weight"}], weights in percent
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  removed_at  timestamptz,      -- when the strategy was first missing from the file
  constraint strategy_risk_level check (risk_level in ('low', 'medium', 'high')),
  constraint strategy_apy check (apy >= 0),
  constraint strategy_limits check (minimum > 0 and maximum >= minimum)
);

-- The measurements behind the service levels: one row per minute of real time in which at least one process ran, with the
-- requests that all processes served. A minute without a row is one in which no process ran.

create table sla_minute (
  minute    timestamptz primary key,
  requests  integer not null,
  failures  integer not null,   -- answered 5xx
  histogram integer[] not null, -- requests by duration, in the 35 buckets of src/modules/sla/domain/histogram.ts
  constraint sla_minute_whole check (minute = date_trunc('minute', minute, 'UTC')),
  constraint sla_minute_requests check (requests >= 0),
  constraint sla_minute_failures check (failures between 0 and requests),
  constraint sla_minute_histogram check (cardinality(histogram) = 35)
);

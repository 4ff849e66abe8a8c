-- What a request with an Idempotency-Key was answered, written in the transaction of what the request did.

create table idempotency_result (
  caller      text not null, -- user:<id> or admin:<id>
  route       text not null, -- method and pattern
  key         text not null,
  fingerprint bytea not null, -- SHA-256 of what was asked
  status      smallint not null,
  answer      json not null, -- {data, beside}: as it was sent, without time and trace
  created_at  timestamptz not null,
  primary key (caller, route, key),
  constraint idempotency_result_key check (key ~ '^[\x21-\x7e]{1,255}$'),
  constraint idempotency_result_fingerprint check (length(fingerprint) = 32),
  constraint idempotency_result_status check (status between 200 and 299)
);
create index idempotency_result_by_age on idempotency_result (created_at);

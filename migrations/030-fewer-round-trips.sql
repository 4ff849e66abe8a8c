-- What requests that move money ask of the database in one round trip instead of two.

-- Keeps others with this key out until the transaction ends, and tells the result when one of them was first. The lock is
-- tried before the result is looked for, in a statement of its own: that one sees what was committed before the lock was
-- free.
create function idempotency_claim(name text, its_caller text, its_route text, its_key text, after timestamptz,
                                  out is_ours boolean, out fingerprint bytea, out status smallint, out answer json)
language plpgsql as $$
begin
  is_ours := pg_try_advisory_xact_lock(hashtextextended('idempotency:' || name, 0));
  if is_ours then
    select stored.fingerprint, stored.status, stored.answer into fingerprint, status, answer
      from idempotency_result as stored
     where caller = its_caller and route = its_route and key = its_key and created_at > after;
  end if;
end
$$ set search_path = public, pg_temp;

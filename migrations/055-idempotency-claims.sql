-- Locks an idempotency key until the transaction ends. Fails without waiting, so that PostgreSQL refuses all later statements of the
-- transaction: on idempotency_key_in_progress while another transaction holds the lock, and on idempotency_key_used if a result
-- was stored after p_after. The result is read in a statement after the lock, so that it sees what the previous holder committed.
create function claim_idempotency_key(p_caller text, p_route text, p_key text, p_after timestamptz) returns void
language plpgsql volatile as $$
begin
  if not pg_try_advisory_xact_lock(hashtextextended(concat_ws(' ', 'idempotency:' || p_caller, p_route, p_key), 0)) then
    raise exception 'a request with this idempotency key is in progress' using constraint = 'idempotency_key_in_progress';
  end if;
  if exists (select from idempotency_result
              where caller = p_caller and route = p_route and key = p_key and created_at > p_after) then
    raise exception 'this idempotency key has a stored response' using constraint = 'idempotency_key_used';
  end if;
end
$$;

-- A payment is found by its transaction hash whether the hash was entered with the prefix 0x or without it.

-- Both forms of a hash; other text is unchanged. The same as hashForms in src/modules/blockchain/domain/transaction-hash.ts.
create function hash_forms(hash text) returns text[] language sql immutable parallel safe as $$
  select case when hash ~ '^[0-9a-f]{64}$' then array[hash, '0x' || hash]
              when hash ~ '^0x[0-9a-f]{64}$' then array[substr(hash, 3), hash]
              else array[hash] end
$$;

-- As in 035, for both forms.
create or replace function matched_payments(its_hash text, its_address text, its_amount numeric) returns integer
language sql stable as $$
  select (select count(*)::integer from withdrawal
           where tx_hash = any(hash_forms(its_hash)) and lower(to_address) = lower(its_address) and amount = its_amount
             and chain_check = 'matched')
       + (select count(*)::integer from admin_transaction as booked
           where tx_hash = any(hash_forms(its_hash)) and type = 'withdrawal' and amount = its_amount and chain_check = 'matched'
             and exists (select from wallet
                          where wallet.user_id = booked.user_id and lower(address) = lower(its_address)))
$$;

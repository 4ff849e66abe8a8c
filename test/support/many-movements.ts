import pg from 'pg';
import { newId } from '../../src/kernel/ids.js';

/**
 * Gives a user so many deposits of 1.00 in a day, one a tenth of a second, past the ledger's own way, which would
 * take minutes. The laws of the ledger hold for what is written.
 */
export async function manyMovements(
  databaseUrl: string,
  userId: string,
  { count, from }: { count: number; from: string },
): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query('set session_replication_role = replica'); // no triggers
  const account = async (owner: string, kind: string, scope: string) =>
    (
      await client.query<{ id: string }>('select id from ledger_account_named($1, $2, $3, $4)', [
        owner,
        kind,
        scope,
        'USDC',
      ])
    ).rows[0]?.id;
  const user = await account(userId, 'user.available', '');
  const provider = await account('00000000-0000-0000-0000-000000000000', 'asset.deposit-provider', 'ERC20');
  const batch = newId();
  const at = "$2::timestamptz + n * interval '0.1 second'";
  await client.query('begin');
  await client.query(
    `insert into ledger_transaction (id, type, reference_type, reference_id, effective_at, description)
     select md5($3 || n)::uuid, 'deposit', 'deposit', md5($3 || n)::uuid, ${at}, 'Deposit of 1 USDC'
       from generate_series(1, $1::integer) as n`,
    [count, from, batch],
  );
  await client.query(
    `insert into ledger_entry (transaction_id, account_id, asset, amount, balance_after, category, effective_at)
     select md5($3 || n)::uuid, account_id, 'USDC', sign, case sign when 1 then n end, 'deposit', ${at}
       from generate_series(1, $1::integer) as n,
            (values ($4::bigint, -1), ($5::bigint, 1)) as side(account_id, sign)
      order by n, sign`,
    [count, from, batch, provider, user],
  );
  await client.query('update ledger_account set balance = balance + $2 where id = $1', [user, count]);
  await client.query('commit');
  await client.query('analyze ledger_entry, ledger_transaction, ledger_account');
  await client.end();
}

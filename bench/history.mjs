// The balance history of a user with a thousand open investments, by day over a year, compared with one investment.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { alternating, timed } from './frame.mjs';

const INVESTMENTS = 1_000;
const DAYS = 365;
const AMOUNT = 100;
const MAX_MS = 50;
const ROUNDS = 21;
const WARM_UPS = 20; // V8 has compiled the code by then, as in a long-running service
const DAY_MS = 86_400_000;

export const title = `GET /api/user/balance/history over ${DAYS} days, by day; the investments were opened one after the other in that year, in three strategies.`;

// DEPOSIT posts a deposit. INVEST inserts investments at equal intervals and posts their payments and units. Both use the
// service's own posting function.
const DEPOSIT = `
  select ledger_post(jsonb_build_array(jsonb_build_object(
    'id', gen_random_uuid(), 'type', 'deposit', 'referenceType', 'deposit', 'referenceId', gen_random_uuid(),
    'at', $2::timestamptz, 'description', 'bench', 'entries', jsonb_build_array(
      jsonb_build_object('owner', '00000000-0000-0000-0000-000000000000', 'kind', 'asset.deposit-provider',
                         'scope', 'ERC20', 'asset', 'USDC', 'amount', -$3::numeric, 'category', 'deposit'),
      jsonb_build_object('owner', $1::uuid, 'kind', 'user.available', 'scope', '', 'asset', 'USDC',
                         'amount', $3::numeric, 'category', 'deposit')))))`;
const INVEST = `
  with created as (
    insert into investment (id, user_id, strategy_id, status, amount, units, issued_on, created_at, updated_at)
    select gen_random_uuid(), $1, strategy_id, 'active', $4::numeric, round($4::numeric / nav, 24), at::date, at, at
      from generate_series(1, $3::int) as n,
           lateral (select $2::timestamptz + n * interval '${DAYS - 5} days' / $3::int) as moment(at),
           lateral (select (array['conservative-5', 'balanced-10', 'aggressive-20'])[1 + n % 3]) as chosen(strategy_id)
      join strategy_nav using (strategy_id)
     where strategy_nav.day = moment.at::date + 1
    returning id, strategy_id, units, created_at
  )
  select ledger_post(jsonb_agg(jsonb_build_object(
    'id', gen_random_uuid(), 'type', 'investment', 'referenceType', 'investment', 'referenceId', id, 'at', created_at,
    'description', 'bench', 'entries', jsonb_build_array(
      jsonb_build_object('owner', $1::uuid, 'kind', 'user.available', 'scope', '', 'asset', 'USDC', 'amount', -$4::numeric, 'category', 'investment'),
      jsonb_build_object('owner', $1::uuid, 'kind', 'user.invested', 'scope', '', 'asset', 'USDC', 'amount', $4::numeric, 'category', 'investment'),
      jsonb_build_object('owner', '00000000-0000-0000-0000-000000000000', 'kind', 'strategy.units', 'scope', '',
                         'asset', 'UNIT:' || strategy_id, 'amount', -units, 'category', 'investment'),
      jsonb_build_object('owner', $1::uuid, 'kind', 'user.units', 'scope', '', 'asset', 'UNIT:' || strategy_id,
                         'amount', units, 'category', 'investment'))) order by created_at)) from created`;

/** Creates a user with `count` open investments and returns the user's token. */
async function signInInvestor(api, client, count) {
  const token = await api.signIn(`${randomUUID()}@example.org`);
  const { data } = JSON.parse(await api.get('/api/auth/user/profile', token));
  const since = new Date(Date.now() - DAYS * DAY_MS);
  await client.query(DEPOSIT, [data.id, since, AMOUNT * count]);
  await client.query(INVEST, [data.id, since, count, AMOUNT]);
  return token;
}

export async function run(bench) {
  const url = await bench.copyOf(await bench.seeded(bench.small));
  const client = new pg.Client(url);
  await client.connect();
  const api = await bench.api(url);
  const manyInvestments = await signInInvestor(api, client, INVESTMENTS);
  const oneInvestment = await signInInvestor(api, client, 1);
  await client.query('vacuum analyze');
  await client.end();
  const day = (ago) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);
  const path = `/api/user/balance/history?startDate=${day(DAYS - 1)}&endDate=${day(0)}`;
  const figures = await alternating(
    {
      many: () => timed(() => api.get(path, manyInvestments)),
      one: () => timed(() => api.get(path, oneInvestment)),
    },
    { rounds: ROUNDS, warmUps: WARM_UPS },
  );
  await api.stop();
  return {
    rows: [
      {
        what: `${DAYS} days with ${INVESTMENTS.toLocaleString('en')} open investments`,
        figure: `${figures.many.toFixed(1)} ms`,
        baseline: `with one: ${figures.one.toFixed(1)} ms`,
        ratio: `${(figures.many / figures.one).toFixed(1)} ×`,
        target: `≤ ${MAX_MS} ms`,
        reached: figures.many <= MAX_MS,
      },
    ],
  };
}

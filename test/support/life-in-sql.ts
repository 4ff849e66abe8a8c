import type { DataSource } from 'typeorm';
import type { Tx } from '../../src/database/unit-of-work.js';
import { Money } from '../../src/kernel/money.js';
import { Meters } from '../../src/telemetry/meters.js';
import { Ledger } from '../../src/modules/ledger/ledger.service.js';
import {
  cancelled,
  closed,
  depositCompleted,
  grown,
  invested,
  unitsIssued,
  withdrawalCompleted,
  withdrawalReleased,
  withdrawalRequested,
} from '../../src/modules/ledger/postings.js';
import type { Posting } from '../../src/modules/ledger/posting.js';

// A life without the services: in plain SQL of columns that the first migrations made, so that it can be lived before
// the later ones. Everything that a migration has to reckon with is in it once.

const [ANN, BOB] = ['a', 'b'].map((letter) => letter.repeat(8) + '-0000-7000-8000-000000000000') as [
  string,
  string,
];
const STRATEGY = 'balanced-10';
const ADMIN = 'operator@example.com';
const ZERO = Money.ZERO;
const usdc = (amount: string) => Money.of(amount);
/** A UUID of a number. */
const id = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const on = (day: number, hour = 10) => new Date(Date.UTC(2026, 1, day, hour, 30));
const dayOf = (at: Date) => at.toISOString().slice(0, 10);

export async function liveALife(dataSource: DataSource): Promise<void> {
  const sql = (text: string, ...parameters: unknown[]) => dataSource.query(text, parameters);
  const post = (...postings: Posting[]) =>
    new Ledger(new Meters()).post(dataSource.manager as Tx, ...postings);

  async function join(userId: string, at: Date, lastLogin: Date | null): Promise<void> {
    await sql(
      `insert into platform_user (id, email, created_at, updated_at, last_login_at) values ($1, $2, $3, $3, $4)`,
      ...[userId, `${userId}@example.org`, at, lastLogin],
    );
  }

  async function deposit(number: number, amount: string, at: Date): Promise<void> {
    const [received, credited] = [usdc(amount), usdc(amount)];
    const fact = {
      depositId: id(number),
      userId: ANN,
      network: 'ERC20',
      asset: 'USDC',
      received,
      credited,
      at,
    };
    await post(depositCompleted(fact));
    await record(number, 'deposit', 'completed', amount, at, at);
  }

  async function record(
    number: number,
    type: string,
    status: string,
    amount: string,
    createdAt: Date,
    completedAt: Date | null,
  ): Promise<void> {
    await sql(
      `insert into user_transaction (id, user_id, type, status, amount, currency, balance_change, reference_type,
                                     reference_id, description, confirmations, created_at, completed_at, timeline)
       values ($1::uuid, $2, $3::text, $4, $5, 'USDC', 0, $3::text, $1::text, 'As shown', 0, $6, $7, '[]')`,
      ...[id(number), ANN, type, status, amount, createdAt, completedAt],
    );
  }

  /** Pending where it has no units. */
  async function invest(
    number: number,
    amount: string,
    units: string,
    at: Date,
    movedFrom: number | null = null,
  ): Promise<void> {
    const isPending = units === '0';
    await sql(
      `insert into investment (id, user_id, strategy_id, status, amount, units, issued_on, created_at, updated_at, moved_from)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9)`,
      ...[id(number), ANN, STRATEGY, isPending ? 'pending' : 'active', amount, units],
      ...[isPending ? null : dayOf(at), at, movedFrom === null ? null : id(movedFrom)],
    );
    await post(invested({ ...of(number, amount, at), units: usdc(units) }));
  }

  const of = (number: number, amount: string, at: Date) => ({
    investmentId: id(number),
    userId: ANN,
    strategyId: STRATEGY,
    principal: usdc(amount),
    at,
  });

  async function approve(number: number, amount: string, units: string, at: Date): Promise<void> {
    await post(unitsIssued({ ...of(number, amount, at), units: usdc(units) }));
    await sql(
      `update investment set status = 'active', units = $2, issued_on = $3, approved_by = $4, approved_at = $5, updated_at = $5
        where id = $1`,
      ...[id(number), units, dayOf(at), ADMIN, at],
    );
  }

  async function close(
    number: number,
    amount: string,
    units: string,
    growth: string,
    fee: string,
    at: Date,
  ): Promise<void> {
    await post(
      ...closed({
        ...of(number, amount, at),
        units: usdc(units),
        growth: usdc(growth),
        managementFee: usdc(fee),
        performanceFee: ZERO,
      }),
    );
    await sql(
      `update investment set status = 'closed', final_value = $2, fees = $3, ended_at = $4, updated_at = $4 where id = $1`,
      ...[id(number), usdc(amount).plus(usdc(growth)).toString(), fee, at],
    );
  }

  async function cancel(number: number, amount: string, units: string, at: Date): Promise<void> {
    await post(...cancelled({ ...of(number, amount, at), units: usdc(units), growth: ZERO }));
    await sql(
      `update investment set status = 'cancelled', ended_at = $2, updated_at = $2 where id = $1`,
      id(number),
      at,
    );
  }

  async function withdraw(number: number, amount: string, at: Date): Promise<void> {
    await sql(
      `insert into withdrawal (id, user_id, amount, currency, to_address, address_checksum, status, created_at)
       values ($1, $2, $3, 'USDC', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'valid', 'pending', $4)`,
      ...[id(number), ANN, amount, at],
    );
    await post(withdrawalRequested({ withdrawalId: id(number), userId: ANN, amount: usdc(amount), at }));
    await record(number, 'withdrawal', 'pending', amount, at, null);
  }

  async function settle(
    number: number,
    status: 'completed' | 'rejected' | 'failed',
    amount: string,
    at: Date,
  ): Promise<void> {
    const fact = { withdrawalId: id(number), userId: ANN, amount: usdc(amount), at };
    if (status === 'completed') {
      await post(withdrawalCompleted(fact));
      await sql(
        `update withdrawal set status = $2, tx_hash = $3, completed_at = $4, chain_check = 'matched', chain_checked_at = $4
          where id = $1`,
        ...[id(number), status, `0x${String(number)}`, at],
      );
    } else {
      if (status === 'rejected') await post(withdrawalReleased(fact));
      await sql('update withdrawal set status = $2 where id = $1', id(number), status);
    }
    const [shown, completedAt] = status === 'completed' ? [status, at] : ['failed', null];
    await sql(
      'update user_transaction set status = $2, completed_at = $3 where id = $1',
      id(number),
      shown,
      completedAt,
    );
  }

  await sql(
    `insert into strategy_nav (strategy_id, day, nav, apy, source) select $1, day, 1, 0, 'first'
       from generate_series(date '2026-02-01', date '2026-02-28', interval '1 day') as day`,
    STRATEGY,
  );
  await join(ANN, on(1), on(2));
  await join(BOB, on(2), null);
  await deposit(1, '2000', on(2, 11));
  await invest(10, '300', '300', on(3));
  await invest(11, '200', '0', on(3));
  await approve(11, '200', '200', on(4));
  await invest(12, '50', '0', on(4));
  await cancel(12, '50', '0', on(4, 15));
  await post(grown({ strategyId: STRATEGY, day: dayOf(on(6)), growth: usdc('9'), at: on(6, 0) }));
  await close(10, '300', '300', '6', '1', on(7));
  await close(11, '200', '200', '3', '0', on(8)); // moves on, so that nothing is open for no moment
  await invest(13, '203', '203', on(8), 11);
  await cancel(13, '203', '203', on(9)); // nothing is open from here on
  await withdraw(20, '40', on(9));
  await settle(20, 'completed', '40', on(10));
  await withdraw(21, '30', on(10));
  await settle(21, 'failed', '30', on(11)); // stays reserved
  await withdraw(22, '25', on(11));
  await settle(22, 'rejected', '25', on(11, 12));
  await withdraw(23, '20', on(12));
  await invest(14, '100', '0', on(14)); // after a gap of five days, and it waits
  await invest(15, '70', '70', on(14, 20));
  await sql(
    `insert into yield_report (event_id, strategy_id, day, apy, used_apy, realised_amount, state, reported_at)
     select 'event ' || state, $1, date '2026-02-05', 30, 10, 0, state, $2 from unnest(array['waiting', 'rate', 'ignored']) as state`,
    ...[STRATEGY, on(6)],
  );
}

import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { durationText } from './duration.js';
import { PERIOD_MS } from './faucet.terms.js';

interface Turn {
  takenAt: Date;
}

/** Whose turn it is: an address has one in 24 hours of domain time. */
@Injectable()
export class FaucetCooldowns {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Throws RATE_LIMIT_EXCEEDED while an address can not have a turn. A look: `take` has the last word. */
  async require(walletAddress: string): Promise<void> {
    const [turn] = await this.dataSource.query<Turn[]>(TURN, [walletAddress]);
    const now = this.clock.now();
    if (turn && turn.takenAt > startOfPeriod(now)) refuse(turn, now);
  }

  /** Of many at once, one takes it: the row is the address's alone. Throws RATE_LIMIT_EXCEEDED. */
  async take(tx: Tx, walletAddress: string, payoutId: string, now: Date): Promise<void> {
    const taken = await tx.query<unknown[]>(
      `insert into faucet_turn as turn (wallet_address, payout_id, taken_at) values ($1, $2, $3)
       on conflict (wallet_address) do update set payout_id = excluded.payout_id, taken_at = excluded.taken_at
         where turn.taken_at <= $4
       returning wallet_address`,
      [walletAddress, payoutId, now, startOfPeriod(now)],
    );
    if (taken.length > 0) return;
    const [turn] = await tx.query<[Turn]>(TURN, [walletAddress]);
    refuse(turn, now);
  }

  /** Nothing was paid out: the address may ask again. */
  async giveBack(tx: Tx, payoutId: string): Promise<void> {
    await tx.query('delete from faucet_turn where payout_id = $1', [payoutId]);
  }
}

export function nextAllowed(takenAt: Date): Date {
  return new Date(takenAt.getTime() + PERIOD_MS);
}

const TURN = 'select taken_at as "takenAt" from faucet_turn where wallet_address = $1';

function startOfPeriod(now: Date): Date {
  return new Date(now.getTime() - PERIOD_MS);
}

function refuse({ takenAt }: Turn, now: Date): never {
  const next = nextAllowed(takenAt);
  const leftSeconds = Math.ceil((next.getTime() - now.getTime()) / 1000);
  const details = {
    lastRequest: takenAt.toISOString(),
    nextAllowedRequest: next.toISOString(),
    remainingTime: durationText(leftSeconds),
  };
  const message = 'This address has had its test USDC for now. Ask again later.';
  return fail('RATE_LIMIT_EXCEEDED', details, { message, retryAfterSeconds: leftSeconds });
}

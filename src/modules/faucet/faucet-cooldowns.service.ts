import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import type { Tx } from '../../database/unit-of-work.js';
import { nextAllowed, startOfPeriod } from './domain/faucet-limits.js';
import { FaucetRepository } from './faucet.repository.js';

/** Allows each address one request in 24 hours of domain time. */
@Injectable()
export class FaucetCooldownsService {
  constructor(
    private readonly clock: Clock,
    private readonly faucet: FaucetRepository,
  ) {}

  /** An early check; `startCooldown` decides. Throws RATE_LIMIT_EXCEEDED. */
  async requireNoCooldown(walletAddress: string): Promise<void> {
    const lastRequest = await this.faucet.findLastRequest(walletAddress);
    const now = this.clock.now();
    if (lastRequest && lastRequest > startOfPeriod(now)) refuse(lastRequest, now);
  }

  /** Throws RATE_LIMIT_EXCEEDED while a cooldown of the address is running. */
  async startCooldown(tx: Tx, walletAddress: string, payoutId: string, at: Date): Promise<void> {
    const lastRequest = await this.faucet.startCooldown(tx, { walletAddress, payoutId, at });
    if (lastRequest) refuse(lastRequest, at);
  }
}

function refuse(lastRequest: Date, now: Date): never {
  const next = nextAllowed(lastRequest);
  const leftSeconds = Math.ceil((next.getTime() - now.getTime()) / 1000);
  const details = {
    lastRequest: lastRequest.toISOString(),
    nextAllowedRequest: next.toISOString(),
    remainingTime: durationText(leftSeconds),
  };
  const message = 'This address has had its test USDC for now. Ask again later.';
  return fail('RATE_LIMIT_EXCEEDED', details, { message, retryAfterSeconds: leftSeconds });
}

/** A readable time span such as 23h59m5s. */
function durationText(totalSeconds: number): string {
  const hours = Math.floor(totalSeconds / 3600);
  const minutes = Math.floor(totalSeconds / 60) % 60;
  return `${hours}h${minutes}m${totalSeconds % 60}s`;
}

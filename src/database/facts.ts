import { Injectable } from '@nestjs/common';
import type { Tx } from './unit-of-work.js';

/** Something that has happened to a user's money or account, told inside the transaction that did it. */
export interface Fact {
  readonly name: string;
  readonly userId: string;
  readonly at: Date;
}

type Listener = (tx: Tx, fact: Fact) => Promise<void>;

/**
 * How a lower module tells higher ones (transactions, notifications) what it did: they subscribe at start-up
 * and write their rows in the same database transaction, so that neither exists without the other.
 */
@Injectable()
export class Facts {
  private readonly listeners: Listener[] = [];

  subscribe(listener: Listener): void {
    this.listeners.push(listener);
  }

  async tell(tx: Tx, fact: Fact): Promise<void> {
    for (const listener of this.listeners) await listener(tx, fact);
  }
}

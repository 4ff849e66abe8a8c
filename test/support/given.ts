import { randomUUID } from 'node:crypto';
import type { INestApplication } from '@nestjs/common';
import type { OutsideWorld } from '../../src/sandbox/outside-world.js';
import { Facts } from '../../src/database/facts.js';
import { UnitOfWork } from '../../src/database/unit-of-work.js';
import { Clock } from '../../src/kernel/clock.js';
import { newId } from '../../src/kernel/ids.js';
import { Money } from '../../src/kernel/money.js';
import type { DepositFact } from '../../src/modules/deposits/deposit.facts.js';
import { depositCompleted } from '../../src/modules/ledger/postings.js';
import { Ledger } from '../../src/modules/ledger/ledger.service.js';

export interface TestUser {
  id: string;
  email: string;
  token: string;
}

export type TestAdmin = Omit<TestUser, 'id'>;

/** What stands before a test acts: `await given.user().withBalance('500.00')`. */
export class Given {
  constructor(
    private readonly app: INestApplication,
    private readonly outside: OutsideWorld,
    private readonly baseUrl: string,
  ) {}

  /** A signed-in user with an empty balance, unless told otherwise. */
  user(email = `user-${randomUUID()}@example.org`): UserBuilder {
    return new UserBuilder(async (balance) => {
      const { token, user } = await this.signIn(email);
      if (balance) await this.deposit(user.id, balance);
      return { id: user.id, email, token };
    });
  }

  /** A signed-in admin of the sandbox (`admin`, `admin2`, `operator`, `support`, `readonly`), or one that was listed. */
  async admin(name = 'admin'): Promise<TestAdmin> {
    const email = `${name}@example.com`;
    const { token } = await this.signIn(email);
    return { email, token };
  }

  /** Credits a user as a completed deposit does, without waiting for a chain. */
  async deposit(userId: string, amount: string): Promise<void> {
    const money = Money.of(amount);
    const at = this.app.get(Clock).now();
    const depositId = newId();
    await this.app.get(UnitOfWork).run(async (tx) => {
      const fact = {
        depositId,
        userId,
        network: 'ERC20',
        asset: 'USDC',
        received: money,
        credited: money,
        at,
      };
      await this.app.get(Ledger).post(tx, depositCompleted(fact));
      await this.app.get(Facts).tell<DepositFact>(tx, {
        name: 'deposit.completed',
        userId,
        at,
        depositId,
        currency: 'USDC',
        network: 'ERC20',
        amount: money,
        credited: money,
        txHash: `0x${randomUUID().replaceAll('-', '').repeat(2)}`,
        fromAddress: null,
        toAddress: '0x00000000000000000000000000000000000000aa',
        blockNumber: 1,
        confirmations: 12,
        gasUsed: null,
        gasPrice: null,
        reason: null,
      });
    });
  }

  private async signIn(email: string): Promise<{ token: string; user: { id: string } }> {
    const jwt = await this.outside.providers.identity.token({ email, name: 'Test Person' });
    const response = await fetch(`${this.baseUrl}/api/auth/idp/login`, {
      method: 'POST',
      headers: { authorization: `Bearer ${jwt}` },
    });
    const body = (await response.json()) as { data: { token: string; user: { id: string } } };
    if (response.status !== 200) throw new Error(`sign-in of ${email}: ${JSON.stringify(body)}`);
    return body.data;
  }
}

class UserBuilder implements PromiseLike<TestUser> {
  private balance: string | undefined;

  constructor(private readonly make: (balance: string | undefined) => Promise<TestUser>) {}

  withBalance(amount: string): this {
    this.balance = amount;
    return this;
  }

  then<A = TestUser, B = never>(
    done?: ((user: TestUser) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.make(this.balance).then(done, failed);
  }
}

import { Agent, createServer, get, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { AppConfig } from '../../config/app-config.js';
import { newId } from '../../common/ids.js';
import { BalanceService } from '../balance/balance.service.js';
import { PortfolioService } from '../investments/portfolio.service.js';
import { TransactionsRepository } from '../transactions/transactions.repository.js';

/** Longest delay of the start. */
const MAX_MS = 250;
const MAX_ROUNDS = 50;
const MAX_CONNECTIONS = 10; // opening one costs the database several milliseconds
const PATH = '/api/ping'; // neither limited, logged nor counted as service
const FIRST_PAGE = { page: 1, limit: 20, sortBy: 'createdAt', orderBy: 'desc' } as const;

/**
 * Runs frequent reads before the process serves requests, so that the first requests find compiled code, open database
 * connections and prepared statements. The reads are for a user who does not exist and leave no trace.
 */
@Injectable()
export class WarmUpService {
  private readonly log = new Logger('WarmUp');
  private readonly connections: number;

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    { DATABASE_POOL_SIZE }: AppConfig,
    private readonly balances: BalanceService,
    private readonly portfolio: PortfolioService,
    private readonly transactions: TransactionsRepository,
  ) {
    this.connections = Math.min(MAX_CONNECTIONS, DATABASE_POOL_SIZE);
  }

  /** Never throws: without a warm-up the first requests are slower. */
  async warmUp(): Promise<void> {
    const deadline = performance.now() + MAX_MS;
    await Promise.race([this.runRounds(deadline), sleep(MAX_MS)]).catch((error: unknown) =>
      this.log.warn({ msg: 'the warm-up before the first request failed', err: error }),
    );
  }

  private async runRounds(deadline: number): Promise<void> {
    const server = await listenOnLoopback(this.adapterHost.httpAdapter.getInstance<RequestListener>());
    const agent = new Agent({ keepAlive: true });
    const { port } = server.address() as AddressInfo;
    const user = newId();
    try {
      for (let round = 0; round < MAX_ROUNDS && performance.now() < deadline; round++)
        await Promise.all(
          Array.from({ length: this.connections }, () => [ping(agent, port), this.read(user)]).flat(),
        );
    } finally {
      agent.destroy();
      server.close();
    }
  }

  private async read(user: string): Promise<void> {
    await this.balances.balanceOf(user).catch(() => undefined); // USER_NOT_FOUND
    await this.transactions.findTransactionsPage(user, FIRST_PAGE);
    await this.portfolio.list(user, { ...FIRST_PAGE });
  }
}

/** A server for this process alone: the port of the service is not open yet. */
async function listenOnLoopback(listener: RequestListener): Promise<Server> {
  const server = createServer(listener);
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(0, '127.0.0.1', () => resolve()),
  );
  return server;
}

function ping(agent: Agent, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ agent, port, host: '127.0.0.1', path: PATH }, (response) => {
      response.resume().once('end', () => resolve());
    }).once('error', reject);
  });
}

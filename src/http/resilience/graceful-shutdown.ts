import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Shuts the server down: readiness turns false and responses carry `Connection: close`; after a delay for load balancers no
 * connection is accepted, idle connections are closed, and running requests may finish until the deadline, at which the remaining
 * connections are closed.
 */
@Injectable()
export class GracefulShutdown {
  private phase: 'serving' | 'leaving' | 'closing' = 'serving';
  private readonly openResponses: Response[] = []; // in a Set V8 would keep finished ones until a full garbage collection
  private readonly shutdownCallbacks: (() => Promise<void>)[] = [];

  /** The process is not ready, and may still accept requests. */
  get isShuttingDown(): boolean {
    return this.phase !== 'serving';
  }

  /** No connection is accepted any more, and upgraded ones are closed. */
  get isClosing(): boolean {
    return this.phase === 'closing';
  }

  /** Calls `callback` in `drain`, when no connection is accepted any more, to close those that the server does not track: WebSockets. */
  onShutdown(callback: () => Promise<void>): void {
    this.shutdownCallbacks.push(callback);
  }

  readonly middleware = (_request: Request, response: Response, next: NextFunction): void => {
    if (this.isShuttingDown) response.setHeader('Connection', 'close');
    this.openResponses.push(response);
    response.once('close', () => this.openResponses.splice(this.openResponses.indexOf(response), 1));
    next();
  };

  /** Starts the shutdown, and resolves after `seconds`, in which load balancers find out that the process is not ready. */
  async announce(seconds: number): Promise<void> {
    this.enter('leaving');
    await sleep(seconds * 1000);
  }

  /** Resolves when all connections are closed. `seconds` is the time until the deadline. */
  async drain(server: Server, seconds: number): Promise<void> {
    this.enter('closing');
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    const closingIdle = setInterval(() => server.closeIdleConnections(), 100); // those whose requests have ended meanwhile
    const deadline = setTimeout(() => server.closeAllConnections(), seconds * 1000);
    try {
      await Promise.all([closed, ...this.shutdownCallbacks.map((callback) => callback())]);
    } finally {
      clearInterval(closingIdle);
      clearTimeout(deadline);
    }
  }

  private enter(phase: 'leaving' | 'closing'): void {
    this.phase = phase;
    for (const response of this.openResponses)
      if (!response.headersSent) response.setHeader('Connection', 'close');
  }
}

import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import type { Server } from 'node:http';

/**
 * Shuts the server down: readiness turns false, responses carry `Connection: close`, idle connections are closed, and running
 * requests may finish until the deadline, at which the remaining connections are closed.
 */
@Injectable()
export class GracefulShutdown {
  private shuttingDown = false;
  private readonly openResponses: Response[] = []; // not a Set, for the reason that open-responses.ts states
  private readonly shutdownCallbacks: (() => Promise<void>)[] = [];

  get isShuttingDown(): boolean {
    return this.shuttingDown;
  }

  /** Calls `callback` when the shutdown begins, to close connections that the server does not track, such as WebSockets. */
  onShutdown(callback: () => Promise<void>): void {
    this.shutdownCallbacks.push(callback);
  }

  readonly middleware = (_request: Request, response: Response, next: NextFunction): void => {
    if (this.shuttingDown) response.setHeader('Connection', 'close');
    this.openResponses.push(response);
    response.once('close', () => this.openResponses.splice(this.openResponses.indexOf(response), 1));
    next();
  };

  /** Starts the shutdown and resolves when all connections are closed. `seconds` is the time until the deadline. */
  async drain(server: Server, seconds: number): Promise<void> {
    this.shuttingDown = true;
    for (const response of this.openResponses)
      if (!response.headersSent) response.setHeader('Connection', 'close');
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    const closingIdle = setInterval(() => server.closeIdleConnections(), 100); // those whose requests have ended meanwhile
    const deadline = setTimeout(() => server.closeAllConnections(), seconds * 1000);
    await Promise.all([closed, ...this.shutdownCallbacks.map((callback) => callback())]);
    clearInterval(closingIdle);
    clearTimeout(deadline);
  }
}

import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import type { Server } from 'node:http';

/**
 * Shuts the server down: readiness turns false, responses carry `Connection: close`, idle connections are closed, and running
 * requests may finish until the deadline, at which all other connections are closed.
 */
@Injectable()
export class GracefulShutdown {
  private shuttingDown = false;
  private readonly running: Response[] = []; // a list for the reason of open-responses.ts
  private readonly endings: (() => Promise<void>)[] = [];

  get isShuttingDown(): boolean {
    return this.shuttingDown;
  }

  /** Calls `end` when the shutdown begins; it closes connections that the server does not know any more. */
  onShutdown(end: () => Promise<void>): void {
    this.endings.push(end);
  }

  readonly middleware = (_request: Request, response: Response, next: NextFunction): void => {
    if (this.shuttingDown) response.setHeader('Connection', 'close');
    this.running.push(response);
    response.once('close', () => this.running.splice(this.running.indexOf(response), 1));
    next();
  };

  async drain(server: Server, seconds: number): Promise<void> {
    this.shuttingDown = true;
    for (const response of this.running) if (!response.headersSent) response.setHeader('Connection', 'close');
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    const closingIdle = setInterval(() => server.closeIdleConnections(), 100);
    const deadline = setTimeout(() => server.closeAllConnections(), seconds * 1000);
    await Promise.all([closed, ...this.endings.map((end) => end())]);
    clearInterval(closingIdle);
    clearTimeout(deadline);
  }
}

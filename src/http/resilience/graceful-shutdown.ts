import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import type { Server } from 'node:http';

/**
 * An orderly end: readiness turns false, answers say `Connection: close`, idle connections are closed, running
 * requests are waited for, and after the deadline what is left is cut.
 */
@Injectable()
export class GracefulShutdown {
  private ending = false;
  private readonly running = new Set<Response>();

  get isEnding(): boolean {
    return this.ending;
  }

  readonly middleware = (_request: Request, response: Response, next: NextFunction): void => {
    if (this.ending) response.setHeader('Connection', 'close');
    this.running.add(response);
    response.once('close', () => this.running.delete(response));
    next();
  };

  async drain(server: Server, seconds: number): Promise<void> {
    this.ending = true;
    for (const response of this.running) if (!response.headersSent) response.setHeader('Connection', 'close');
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    const sweep = setInterval(() => server.closeIdleConnections(), 100);
    const deadline = setTimeout(() => server.closeAllConnections(), seconds * 1000);
    await closed;
    clearInterval(sweep);
    clearTimeout(deadline);
  }
}

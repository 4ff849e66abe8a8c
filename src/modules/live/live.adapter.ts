import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Injectable, Logger, type WebSocketAdapter } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Express } from 'express';
import { WebSocketServer, type ServerOptions, type WebSocket } from 'ws';
import { Clock } from '../../common/clock.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { AppConfig } from '../../config/app-config.js';
import { asDomainError } from '../../database/database-error.js';
import type { RequestWithPrincipal } from '../../http/auth/principal.js';
import { handleUpgrades } from '../../http/request/upgrade-requests.js';
import { allowLiveConnections } from '../../http/resilience/connection-limits.js';
import { GracefulShutdown } from '../../http/resilience/graceful-shutdown.js';
import { renderErrorResponse } from '../../http/response/raw-error-response.js';
import { ServedRequests } from '../../http/response/served-requests.js';
import { ConnectionsService } from './connections.service.js';
import { isLiveUpgrade } from './domain/handshake.js';
import { CLOSE, LIVE_PATH, MAX_MESSAGE_BYTES } from './live.constants.js';
import { UpgradesService, type Admission } from './upgrades.service.js';

const CLOSE_TIMEOUT_MS = 2000;

/**
 * Nest's adapter for `ws`. The stock adapter accepts every upgrade and lets the gateway close the connection; this one
 * answers before the upgrade. Extensions and subprotocols are not offered.
 */
@Injectable()
export class LiveAdapter implements WebSocketAdapter<WebSocketServer, WebSocket> {
  private readonly log = new Logger('LiveUpgrades');

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly upgrades: UpgradesService,
    private readonly connections: ConnectionsService,
    private readonly served: ServedRequests,
    private readonly shutdown: GracefulShutdown,
  ) {}

  create(): WebSocketServer {
    const options: ServerOptions & { closeTimeout: number } = {
      noServer: true,
      clientTracking: false,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
      handleProtocols: () => false,
      closeTimeout: CLOSE_TIMEOUT_MS, // not in the types yet
    };
    const sockets = new WebSocketServer(options);
    const server = this.adapterHost.httpAdapter.getHttpServer() as Server;
    handleUpgrades(server, isLiveUpgrade, (request, socket, head) => {
      void this.openOrRefuse(sockets, request, { socket, head });
    });
    this.connections.subscribe((open) => allowLiveConnections(server, this.config, open));
    this.shutdown.onShutdown(() => this.connections.closeAll(CLOSE.restart));
    return sockets;
  }

  bindClientConnect(sockets: WebSocketServer, callback: (...args: unknown[]) => void): void {
    sockets.on('connection', callback);
  }

  bindClientDisconnect(socket: WebSocket, callback: (...args: unknown[]) => void): void {
    socket.on('close', callback);
  }

  /** Clients send no messages. */
  bindMessageHandlers(): void {
    return undefined;
  }

  close(): Promise<void> {
    return this.connections.closeAll(CLOSE.restart);
  }

  dispose(): Promise<void> {
    return Promise.resolve();
  }

  private async openOrRefuse(
    sockets: WebSocketServer,
    received: IncomingMessage,
    { socket, head }: { socket: Duplex; head: Buffer },
  ): Promise<void> {
    const startedAt = performance.now();
    const express = this.adapterHost.httpAdapter.getInstance<Express>();
    // Express's getters, such as the address behind proxies.
    const request = Object.setPrototypeOf(received, express.request as object) as RequestWithPrincipal;
    socket.on('error', () => socket.destroy());
    const hasPlace = this.connections.reservePlace();
    try {
      const admission = await this.admit(request, hasPlace);
      open(sockets, request, { socket, head }, admission);
      this.report(101, startedAt, admission.owner.id);
    } catch (thrown) {
      const { error, headers } = await this.refusalOf(request, thrown);
      socket.end(renderErrorResponse(error, this.clock.now(), { Vary: 'Origin', ...headers }));
      setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS).unref(); // clients that do not close their side
      this.report(error.status, startedAt, null);
    } finally {
      if (hasPlace) this.connections.releasePlace();
    }
  }

  private async admit(request: RequestWithPrincipal, hasPlace: boolean): Promise<Admission> {
    this.upgrades.requireWellFormed(request);
    this.upgrades.requireAvailable(hasPlace);
    return this.upgrades.admitUpgrade(request);
  }

  /** Refusals for which the caller is responsible count in the class of requests without a token. */
  private async refusalOf(
    request: RequestWithPrincipal,
    thrown: unknown,
  ): Promise<{ error: DomainError; headers: Record<string, number> }> {
    const error = asError(thrown);
    if (error.status >= 500) {
      if (error !== thrown) this.log.error({ msg: `an upgrade failed: ${error.code}`, err: thrown });
      return { error, headers: {} };
    }
    try {
      return { error, headers: await this.upgrades.countRefusal(request) };
    } catch (limited) {
      return { error: asError(limited), headers: {} };
    }
  }

  /** The log has no query string, so that it contains no ticket. */
  private report(status: number, startedAt: number, principalId: string | null): void {
    this.served.report({
      method: 'GET',
      route: LIVE_PATH,
      status,
      milliseconds: performance.now() - startedAt,
      isComplete: true,
      isFailure: status >= 500,
      principalId,
      trace: undefined,
    });
  }
}

function asError(thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown;
  return asDomainError(thrown) ?? new DomainError('INTERNAL_SERVER_ERROR');
}

function open(
  sockets: WebSocketServer,
  request: IncomingMessage,
  { socket, head }: { socket: Duplex; head: Buffer },
  { headers, owner, start }: Admission,
): void {
  const addHeaders = (lines: string[]) =>
    void lines.push(...Object.entries(headers).map(([name, value]) => `${name}: ${value}`));
  sockets.once('headers', addHeaders);
  sockets.handleUpgrade(request, socket, head, (client) =>
    sockets.emit('connection', client, { owner, start }),
  );
  sockets.off('headers', addHeaders); // if the client has closed the connection, no response was written
}

import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Injectable, Logger, type WebSocketAdapter } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Express } from 'express';
import { WebSocketServer, type ServerOptions, type WebSocket } from 'ws';
import { Clock } from '../../../common/clock.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import { AppConfig } from '../../../config/app-config.js';
import { asDomainError } from '../../../common/errors/database-error.js';
import { KnownCredentials } from '../../../http/auth/known-credentials.js';
import type { RequestWithPrincipal } from '../../../http/auth/principal.js';
import { handleUpgrades } from '../../../http/request/upgrade-requests.js';
import { CorsPolicy } from '../../../http/response/cors.js';
import { ConnectionLimits } from '../../../http/resilience/connection-limits.js';
import { GracefulShutdown } from '../../../http/resilience/graceful-shutdown.js';
import { renderErrorResponse } from '../../../http/response/raw-error-response.js';
import { ServedRequests, type ServedRequest } from '../../../http/response/served-requests.js';
import { callerAddress } from '../../../http/throttling/caller-address.js';
import { rateLimitHeaders } from '../../../http/throttling/rate-limits.js';
import {
  endSpan,
  runIn,
  startTrace,
  traceparentOf,
  type StartedTrace,
} from '../../../observability/tracing/trace.js';
import { ConnectionsService } from './connections.service.js';
import { CLOSE, LIVE_PATH, MAX_MESSAGE_BYTES, type Opening, type Place } from './live.types.js';
import { isLiveUpgrade, UpgradesService, type PendingUpgrade } from './upgrades.service.js';

const METHOD = 'GET'; // of a handshake
/** How long a client may take to close its side of a connection before the socket is destroyed. */
const CLOSE_TIMEOUT_MS = 2000;

/**
 * Nest's adapter for `ws`. The stock adapter accepts every upgrade and lets the gateway close the connection; this one
 * accepts or refuses the upgrade itself (DEC-62). Extensions and subprotocols are not offered.
 */
@Injectable()
export class LiveAdapter implements WebSocketAdapter<WebSocketServer, WebSocket> {
  private readonly log = new Logger('LiveUpgrades');
  private readonly cors: CorsPolicy;

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    config: AppConfig,
    private readonly clock: Clock,
    private readonly upgrades: UpgradesService,
    private readonly connections: ConnectionsService,
    private readonly connectionLimits: ConnectionLimits,
    private readonly knownCredentials: KnownCredentials,
    private readonly served: ServedRequests,
    private readonly shutdown: GracefulShutdown,
  ) {
    this.cors = new CorsPolicy(config.CORS_ORIGINS);
  }

  create(): WebSocketServer {
    const options: ServerOptions & { closeTimeout: number } = {
      noServer: true,
      clientTracking: false,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
      closeTimeout: CLOSE_TIMEOUT_MS, // not in the types yet
    };
    const sockets = new WebSocketServer(options);
    const server = this.adapterHost.httpAdapter.getHttpServer() as Server;
    handleUpgrades(server, isLiveUpgrade, (request, socket, head) => {
      this.connectionLimits.keepOpen(socket);
      void this.openOrRefuse(sockets, request, { socket, head });
    });
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
    { socket, head }: { socket: Socket; head: Buffer },
  ): Promise<void> {
    const startedAt = performance.now();
    const express = this.adapterHost.httpAdapter.getInstance<Express>();
    // Gives the request Express's getters, such as the client's address behind proxies.
    const request = Object.setPrototypeOf(received, express.request as object) as RequestWithPrincipal;
    socket.on('error', () => socket.destroy());
    const traced = startTrace(request);
    const upgrade: PendingUpgrade = { request };
    const place = this.connections.reservePlace(callerAddress(request));
    try {
      const opening = await runIn(traced, () => this.admit(upgrade, place));
      this.upgrades.requireAvailable(place); // the shutdown may have begun meanwhile
      const headers = { ...limitHeadersOf(upgrade), traceparent: traceparentOf(traced.trace) };
      this.connectionLimits.exclude(socket);
      completeUpgrade(sockets, request, { socket, head }, { opening, headers });
      this.reportUpgrade(101, startedAt, traced, {
        principalId: opening.owner.id,
        isAnonymousRefusal: false,
      });
    } catch (thrown) {
      const error = await runIn(traced, () => this.refusalOf(upgrade, thrown));
      const headers = {
        ...Object.fromEntries(this.cors.headersFor(request.headers.origin)),
        ...limitHeadersOf(upgrade),
      };
      socket.end(renderErrorResponse(error, this.clock.now(), headers, traced.trace));
      setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS).unref(); // if the client does not close its side
      const isOverLimit = error.status === 429 || place.refusal !== null;
      const isAnonymousRefusal = isOverLimit && !this.knownCredentials.areKnown(request);
      this.reportUpgrade(error.status, startedAt, traced, { principalId: null, isAnonymousRefusal });
    } finally {
      this.connections.releasePlace(place);
    }
  }

  private async admit(upgrade: PendingUpgrade, place: Place): Promise<Opening> {
    this.upgrades.requireWellFormed(upgrade.request);
    this.upgrades.requireAvailable(place);
    return { address: place.address, ...(await this.upgrades.admitUpgrade(upgrade)) };
  }

  /** The error of the response. If its status is below 500, the upgrade counts against the limit of the caller's address. */
  private async refusalOf(upgrade: PendingUpgrade, thrown: unknown): Promise<DomainError> {
    const error = toDomainError(thrown);
    if (error.status >= 500) {
      if (error !== thrown) this.log.error({ msg: `an upgrade failed: ${error.code}`, err: thrown });
      return error;
    }
    try {
      await this.upgrades.countRefusal(upgrade);
      return error;
    } catch (countingError) {
      return toDomainError(countingError); // RATE_LIMIT_EXCEEDED replaces the refusal
    }
  }

  /** The log and the span have no query string, so that they contain no ticket. */
  private reportUpgrade(
    status: number,
    startedAt: number,
    { trace, span }: StartedTrace,
    caller: Pick<ServedRequest, 'principalId' | 'isAnonymousRefusal'>,
  ): void {
    const line = { method: METHOD, route: LIVE_PATH, status };
    if (span) endSpan(span, line);
    this.served.report({
      ...line,
      milliseconds: performance.now() - startedAt,
      isComplete: true,
      isFailure: status >= 500,
      ...caller,
      trace,
    });
  }
}

function toDomainError(thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown;
  return asDomainError(thrown) ?? new DomainError('INTERNAL_SERVER_ERROR');
}

function limitHeadersOf({ limit }: PendingUpgrade): Record<string, number> {
  return limit ? rateLimitHeaders(limit) : {};
}

function completeUpgrade(
  sockets: WebSocketServer,
  request: IncomingMessage,
  { socket, head }: { socket: Duplex; head: Buffer },
  { opening, headers }: { opening: Opening; headers: Record<string, string | number> },
): void {
  const addHeaders = (lines: string[]): void => {
    for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  };
  delete request.headers['sec-websocket-protocol']; // `ws` would refuse a malformed value with an answer of its own
  sockets.once('headers', addHeaders);
  sockets.handleUpgrade(request, socket, head, (client) => sockets.emit('connection', client, opening));
  sockets.off('headers', addHeaders); // if the client has closed the connection, no response was written
}

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { HttpServerAdapter } from '../http-server.adapter.js';
import { ConnectionLimits } from './connection-limits.js';
import { trackOpenResponses } from './open-responses.js';

const SERVED_PATH = /^\/(metrics|api\/health\/(live|ready))\/?(\?|$)/i;
const MAX_CONNECTIONS = 100; // of the orchestrator and of Prometheus

/** Serves the probes and the metrics at PROBE_PORT, where the connections and requests of callers of the API cannot keep them out. */
@Injectable()
export class ProbeServer implements OnModuleDestroy {
  private server: Server | undefined;

  constructor(
    private readonly adapterHost: HttpAdapterHost<HttpServerAdapter>,
    private readonly connectionLimits: ConnectionLimits,
  ) {}

  /** Resolves with the port. */
  async listen(port: number): Promise<number> {
    const server = this.adapterHost.httpAdapter.createHttpServer((path) => SERVED_PATH.test(path));
    this.server = server;
    const bounds = { total: MAX_CONNECTIONS, perAddress: MAX_CONNECTIONS, isProxy: () => false };
    this.connectionLimits.createPool(server, bounds);
    trackOpenResponses(server);
    server.listen(port);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  /** The probes are served until the end of the shutdown, so that readiness is seen to be false. */
  onModuleDestroy(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }
}

import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stopServer } from './stop-server.js';

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  kind: number;
  status?: { code?: number };
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
}

interface Export {
  resourceSpans: {
    resource: Pick<CollectedSpan, 'attributes'>;
    scopeSpans: { spans: CollectedSpan[] }[];
  }[];
}

/** An OpenTelemetry collector (OTLP over HTTP) that can also leave calls unanswered. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  /** The attributes of the service in the last export. */
  resource: CollectedSpan['attributes'] = [];
  /** The bodies of all exports that were answered. */
  text = '';
  calls = 0;
  isHanging = false;
  /** Open calls without a response. */
  readonly unansweredCalls = new Set<ServerResponse>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<TraceCollector> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        collector.store(request.url as string, Buffer.concat(chunks).toString());
        if (collector.isHanging) collector.hold(response);
        else response.setHeader('content-type', 'application/json').end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const collector = new TraceCollector(
      server,
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    );
    return collector;
  }

  spansOfTrace(traceId: string): CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  async stop(): Promise<void> {
    await stopServer(this.server);
  }

  private hold(response: ServerResponse): void {
    this.unansweredCalls.add(response);
    response.once('close', () => this.unansweredCalls.delete(response));
  }

  private store(path: string, body: string): void {
    this.calls++;
    if (path !== '/v1/traces' || this.isHanging) return;
    this.text += body;
    for (const { resource, scopeSpans } of (JSON.parse(body) as Export).resourceSpans) {
      this.resource = resource.attributes;
      for (const { spans } of scopeSpans) this.spans.push(...spans);
    }
  }
}

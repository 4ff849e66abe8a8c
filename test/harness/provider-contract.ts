import { readFileSync } from 'node:fs';
import type { OpenAPIObject } from '@nestjs/swagger';
import { OpenApiContract, type SentRequest } from './contract.js';

const CALLBACK = /^\/api\/webhooks\/[^/]+\/(deposit|withdrawal|yield)$/;
const PROVIDER = /^\/(deposit|screening)-provider(\/.+)$/;

type Provider = 'deposit' | 'custody' | 'screening';

/** The contract of a provider: docs/providers/<name>.json. */
export function providerContract(provider: Provider): OpenApiContract {
  const document = JSON.parse(readFileSync(`docs/providers/${provider}.json`, 'utf8')) as OpenAPIObject;
  return new OpenApiContract(document, { furtherFields: true });
}

/**
 * Compares what the service and the providers of the sandbox send to each other with docs/providers, in both directions: their
 * requests and responses, callbacks included, pass through this object while a platform runs.
 */
export class ProviderTraffic {
  /** The routes that were called, with the status of the response: `deposit GET /deposits/{id} 200`. */
  readonly seen = new Set<string>();
  readonly violations: string[] = [];
  private readonly hosts = new Set<string>();
  private readonly contracts = new Map<Provider, OpenApiContract>();

  constructor() {
    const send = globalThis.fetch;
    globalThis.fetch = async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const route = this.hosts.has(url.host) ? routeOf(url.pathname) : undefined;
      if (!route) return send(input, init);
      const response = await send(input, init);
      // The body cannot be read if the party breaks the connection.
      const text = await response
        .clone()
        .text()
        .catch(() => undefined);
      if (text !== undefined) this.compare(route, url, init, { status: response.status, text });
      return response;
    };
  }

  /** Compares the traffic of a platform with these addresses. The function that it returns throws an error with the differences. */
  watch(...addresses: string[]): () => void {
    const hosts = addresses.map((address) => new URL(address).host);
    for (const host of hosts) this.hosts.add(host);
    return () => {
      for (const host of hosts) this.hosts.delete(host);
      const violations = this.violations.splice(0);
      if (violations.length > 0)
        throw new Error(`messages of providers differ from docs/providers:\n${violations.join('\n')}`);
    };
  }

  private compare(
    { provider, path }: Route,
    url: URL,
    init: RequestInit | undefined,
    { status, text }: { status: number; text: string },
  ): void {
    if (text.includes("The sandbox's")) return; // a fault that the test has set
    const contract = this.contracts.get(provider) ?? providerContract(provider);
    this.contracts.set(provider, contract);
    const { method = 'GET' } = init ?? {};
    const body = typeof init?.body === 'string' ? (JSON.parse(init.body) as unknown) : undefined;
    const sent: SentRequest = {
      method,
      path,
      body,
      query: url.searchParams,
      headers: new Headers(init?.headers),
    };
    try {
      if (status < 400 || status >= 500) contract.requireDocumentedRequest(sent);
      contract.requireDocumented(method, path, status, jsonOf(text), new Headers());
      this.seen.add(`${provider} ${contract.routeName(method, path)} ${status}`);
    } catch (error) {
      this.violations.push((error as Error).message);
    }
  }
}

interface Route {
  readonly provider: Provider;
  /** As in the document of the provider. */
  readonly path: string;
}

function routeOf(pathname: string): Route | undefined {
  const [, kind] = CALLBACK.exec(pathname) ?? [];
  // Callbacks about withdrawals come from the deposit provider, too (docs/providers/deposit.json).
  if (kind) return { provider: kind === 'yield' ? 'custody' : 'deposit', path: pathname };
  const [, provider, path] = PROVIDER.exec(pathname) ?? [];
  return provider && path ? { provider: provider as Provider, path } : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

let traffic: ProviderTraffic | undefined;

/** The traffic of this process. There is one instance only, because it replaces `fetch` of the process. */
export function providerTraffic(): ProviderTraffic {
  return (traffic ??= new ProviderTraffic());
}

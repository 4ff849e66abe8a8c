import { Resolver } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { performance } from 'node:perf_hooks';
import { Injectable } from '@nestjs/common';
import type { Attempt } from './webhooks.types.js';

const CALL_TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 65_536;
const DNS_TIMEOUT_MS = 2000;
const DNS_TRIES = 2;

export interface ReceiverAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

export interface ReceiverCall {
  readonly url: string;
  /** The only addresses to connect to, at least one. If the field is absent, the system resolves the name. */
  readonly addresses?: readonly ReceiverAddress[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Asks DNS without the system's resolver: a user's slow name server could occupy the few threads of that resolver. */
@Injectable()
export class DnsClient {
  private readonly resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });

  /** All addresses of the name; none if it does not exist or DNS does not answer. */
  async resolveAddresses(name: string): Promise<string[]> {
    if (/(^|\.)localhost\.?$/.test(name)) return ['127.0.0.1', '::1']; // never sent to DNS (RFC 6761)
    const replies = await Promise.allSettled([this.resolver.resolve4(name), this.resolver.resolve6(name)]);
    return replies.flatMap((reply) => (reply.status === 'fulfilled' ? reply.value : []));
  }
}

/** Sends one POST request. Does not follow redirects. Rejects only if `interrupted` is aborted. */
export async function callReceiver(call: ReceiverCall, interrupted: AbortSignal): Promise<Attempt> {
  const startedAt = performance.now();
  const deadline = AbortSignal.timeout(CALL_TIMEOUT_MS);
  const status = await postForStatus(call, AbortSignal.any([deadline, interrupted])).catch(() => undefined);
  interrupted.throwIfAborted();
  const durationMs = Math.round(performance.now() - startedAt);
  if (status === undefined)
    return { responseStatus: null, failure: deadline.aborted ? 'timeout' : 'connection', durationMs };
  return { responseStatus: status, failure: status >= 200 && status < 300 ? null : 'status', durationMs };
}

/**
 * Sends the request. Returns the status when the response has ended, when the receiver has closed the connection early, or when
 * the response exceeds `MAX_RESPONSE_BYTES`.
 */
function postForStatus(
  { url, addresses, headers, body }: ReceiverCall,
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const { request } = new URL(url).protocol === 'https:' ? https : http;
    const content = Buffer.from(body);
    const clientRequest = request(url, {
      method: 'POST',
      agent: false, // a kept connection could lead to an address that the name no longer has
      headers: { ...headers, 'content-length': content.length },
      signal,
      ...(addresses ? { lookup: lookupOf(addresses) } : {}),
    });
    clientRequest.on('error', reject);
    let hasResponse = false;
    clientRequest.on('close', () => {
      if (!hasResponse) reject(new Error('closed without a response')); // after a 101 neither `response` nor `error` is emitted
    });
    clientRequest.on('response', (response) => {
      hasResponse = true;
      let received = 0;
      response.on('data', (chunk: Buffer) => {
        received += chunk.length;
        if (received > MAX_RESPONSE_BYTES) response.destroy();
      });
      response.on('error', () => undefined); // the status is known
      response.on('close', () => resolve(response.statusCode as number));
    });
    clientRequest.end(content);
  });
}

/** Answers the addresses for any name. */
function lookupOf(addresses: readonly ReceiverAddress[]): LookupFunction {
  return (_name, { all }, callback) => {
    const [first] = addresses as [ReceiverAddress];
    if (all) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

import { Injectable } from '@nestjs/common';
import { Resolver } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import { isIP, isIPv4, isIPv6, type BlockList, type LookupFunction } from 'node:net';
import { performance } from 'node:perf_hooks';
import { parsedUrl } from '../../../common/parsed-url.js';
import { AppConfig } from '../../../config/app-config.js';
import { ipNetworksOf } from '../../../config/ip-networks.js';
import type { Attempt } from './webhooks.types.js';

const CALL_TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 65_536;
const DNS_TIMEOUT_MS = 2000;
const DNS_TRIES = 2;

interface ReceiverAddress {
  readonly address: string;
  readonly family: 4 | 6;
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

/** The error about a URL that must not be called. Its message is the violated rule, such as `must begin with https://`. */
export class ReceiverRefused extends Error {}

const PERMITTED_PORTS = ['', '80', '443'];

/**
 * Checks that the URL of a user's webhook leads only to public addresses or to WEBHOOK_ALLOWED_NETWORKS, when the user sets
 * the URL and before each attempt to deliver an event.
 */
@Injectable()
export class ReceiversService {
  private readonly allowedNetworks: BlockList;

  constructor(
    private readonly config: AppConfig,
    private readonly dns: DnsClient,
  ) {
    this.allowedNetworks = ipNetworksOf(config.WEBHOOK_ALLOWED_NETWORKS);
  }

  /** The addresses of the URL's host. The caller connects to these only, since DNS can change. Throws ReceiverRefused. */
  async resolveReceiver(url: string): Promise<ReceiverAddress[]> {
    const { protocol, hostname, username, password, port } = parseUrl(url);
    if (protocol !== 'https:' && (this.config.isProduction || protocol !== 'http:'))
      refuse('must begin with https://');
    if (username || password) refuse('must have no user name and no password');
    if (this.config.isProduction && !PERMITTED_PORTS.includes(port))
      refuse('must have no port, or 80 or 443');
    const host = hostname.replace(/^\[|\]$/g, '');
    const addresses = isIP(host) ? [host] : await this.dns.resolveAddresses(host);
    if (addresses.length === 0) refuse('must have a host name that DNS resolves');
    if (!addresses.every((address) => this.isPermitted(address)))
      refuse('must not lead to a private, local or reserved address');
    return addresses.map((address) => ({ address, family: isIP(address) as 4 | 6 }));
  }

  private isPermitted(address: string): boolean {
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    return isPublicAddress(address) || this.allowedNetworks.check(address, family);
  }
}

function parseUrl(text: string): URL {
  return parsedUrl(text) ?? refuse('must be an address that begins with https://');
}

function refuse(rule: string): never {
  throw new ReceiverRefused(rule);
}

// Public addresses, according to IANA's registries of special-purpose addresses.

const NOT_PUBLIC_V4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, and the metadata services of clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // IETF protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
];

/** Global unicast. Excludes IPv4-mapped and NAT64 addresses, which embed an IPv4 address. */
const PUBLIC_V6 = '2000::/3';
const NOT_PUBLIC_V6 = [
  '2001::/23', // IETF protocol assignments, among them Teredo, which embeds IPv4 addresses
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: embeds IPv4 addresses
  '3fff::/20', // documentation
];

const notPublic = ipNetworksOf([...NOT_PUBLIC_V4, ...NOT_PUBLIC_V6]);
const publicV6 = ipNetworksOf([PUBLIC_V6]);

/** Expects the canonical form of an address, as `URL` and DNS give it. False for a text that is no IP address. */
function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !notPublic.check(address, 'ipv4');
  return isIPv6(address) && publicV6.check(address, 'ipv6') && !notPublic.check(address, 'ipv6');
}

interface ReceiverCall {
  readonly url: string;
  /** The only addresses to connect to, at least one. If the field is absent, the system resolves the name. */
  readonly addresses?: readonly ReceiverAddress[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
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

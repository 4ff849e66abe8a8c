import { isIP, type BlockList } from 'node:net';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { ipNetworksOf } from '../../../config/ip-networks.js';
import { isPublicAddress } from './domain/public-address.js';
import { DnsClient, type ReceiverAddress } from './receiver.client.js';
import { parsedUrl } from '../../../common/parsed-url.js';

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

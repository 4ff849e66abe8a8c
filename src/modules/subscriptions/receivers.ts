import { isIP, type BlockList } from 'node:net';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { HostNames } from './host-names.js';
import { isPublicAddress, networksOf } from './public-address.js';

export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** A URL that leads where nobody may send us. */
export class ReceiverRefused extends Error {}

const PORTS = ['', '80', '443'];

/** Which servers of users' are called. Asked when a URL is given, and again at each delivery. */
@Injectable()
export class Receivers {
  private readonly allowed: BlockList;

  constructor(
    private readonly config: AppConfig,
    private readonly names: HostNames,
  ) {
    this.allowed = networksOf(config.WEBHOOK_ALLOWED_NETWORKS);
  }

  /**
   * Every address that the URL leads to now. To be sure that no other one is called, connect to one of these and ask
   * no further. Throws ReceiverRefused.
   */
  async addressesOf(url: string): Promise<Address[]> {
    const { protocol, hostname, username, password, port } = urlOf(url);
    if (protocol !== 'https:' && (this.config.isProduction || protocol !== 'http:'))
      refuse('must begin with https://');
    if (username || password) refuse('must have no user name and no password');
    if (this.config.isProduction && !PORTS.includes(port)) refuse('must have no port, or 80 or 443');
    const host = hostname.replace(/^\[|\]$/g, '');
    const addresses = isIP(host) ? [host] : await this.names.addressesOf(host);
    if (addresses.length === 0) refuse('must have a host that DNS knows');
    if (!addresses.every((address) => this.isPermitted(address)))
      refuse('must not lead to a private, local or reserved address');
    return addresses.map((address) => ({ address, family: isIP(address) as 4 | 6 }));
  }

  private isPermitted(address: string): boolean {
    return isPublicAddress(address) || this.allowed.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
}

function urlOf(text: string): URL {
  return URL.canParse(text) ? new URL(text) : refuse('must be an address that begins with https://');
}

function refuse(why: string): never {
  throw new ReceiverRefused(why);
}

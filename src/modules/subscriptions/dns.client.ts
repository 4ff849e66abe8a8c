import { Resolver } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';

const TIMEOUT_MS = 2000;
const TRIES = 2;

/** Asks DNS without the system's resolver, whose few threads a slow name server of a user could occupy. */
@Injectable()
export class DnsClient {
  private readonly resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });

  /** All addresses of the name; none if it does not exist. */
  async resolveAddresses(name: string): Promise<string[]> {
    if (/(^|\.)localhost\.?$/.test(name)) return ['127.0.0.1', '::1']; // never sent to DNS (RFC 6761)
    const replies = await Promise.allSettled([this.resolver.resolve4(name), this.resolver.resolve6(name)]);
    return replies.flatMap((reply) => (reply.status === 'fulfilled' ? reply.value : []));
  }
}

import { Resolver } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';

const WAIT_MS = 2000;
const TRIES = 2;

/**
 * What DNS says of a name. Asked without the system's resolver: its few threads are everybody's, and a slow name server
 * of somebody else's must not hold them.
 */
@Injectable()
export class HostNames {
  private readonly resolver = new Resolver({ timeout: WAIT_MS, tries: TRIES });

  /** All its addresses; none when there is no such name. */
  async addressesOf(name: string): Promise<string[]> {
    if (/(^|\.)localhost\.?$/.test(name)) return ['127.0.0.1', '::1']; // no question for DNS (RFC 6761)
    const answers = await Promise.allSettled([this.resolver.resolve4(name), this.resolver.resolve6(name)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  }
}

import type { Socket } from 'node:net';
import pg from 'pg';
import { singleHostAddresses } from '../config/database-address.js';

const PROBE_MS = 2000;
const IS_READ_ONLY_SQL = `select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "isReadOnly"`;

export interface Host {
  readonly host: string;
  readonly port: number;
}

class ReadOnlyHostError extends Error {
  /** SQLSTATE of a write that the server does not accept. */
  readonly code = '25006';
}

/** Finds the host that accepts writes among those of an address such as postgres://a:5432,b:5432/platform. */
export class PrimaryHost {
  private static readonly ofAddress = new Map<string, PrimaryHost>();
  private found: Promise<Host> | undefined;
  private readonly clients = new Set<pg.Client>();

  private constructor(private readonly addresses: readonly string[]) {}

  /** Undefined for an address with one host. All connections to an address share the host that was found. */
  static of(address: string): PrimaryHost | undefined {
    const addresses = singleHostAddresses(address);
    if (addresses.length < 2) return undefined;
    const primary = this.ofAddress.get(address) ?? new PrimaryHost(addresses);
    this.ofAddress.set(address, primary);
    return primary;
  }

  find(): Promise<Host> {
    this.found ??= this.search().catch((error: unknown) => {
      this.forget();
      throw error;
    });
    return this.found;
  }

  /** The next connection searches again: the host has failed or has become a standby. */
  forget(): void {
    this.found = undefined;
  }

  /**
   * Closes the connection when a search finds another host, and the host of the connection has become a standby or has failed: a
   * connection to a machine that has vanished does not end by itself.
   */
  closeWhenReplaced(client: pg.Client): void {
    this.clients.add(client);
    client.once('end', () => this.clients.delete(client));
  }

  /** Asks all hosts at once, so that one that does not answer delays nothing. Several may accept writes: poolers of one server. */
  private async search(): Promise<Host> {
    const probes = this.addresses.map(startProbe);
    try {
      const found = await Promise.any(probes.map(({ answer }) => answer));
      for (const { host, answer } of probes)
        answer.catch((error: unknown) => {
          if (!isRefusalOfServer(error)) this.closeConnectionsTo(host);
        });
      return found;
    } catch (error) {
      const { errors } = error as AggregateError;
      throw errors.find((failure) => !(failure instanceof ReadOnlyHostError)) ?? errors[0];
    }
  }

  private closeConnectionsTo({ host, port }: Host): void {
    for (const client of this.clients) {
      if (client.host !== host || client.port !== port) continue;
      const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
      stream.destroy(new Error('Connection terminated: another host accepts writes'));
    }
  }
}

/** Whether the server itself has refused the probe, for example because it has too many clients: then its connections may be sound. */
function isRefusalOfServer(error: unknown): boolean {
  return error instanceof pg.DatabaseError;
}

interface Probe {
  readonly host: Host;
  /** Fails if the host does not answer in time or accepts no writes. */
  readonly answer: Promise<Host>;
}

function startProbe(address: string): Probe {
  const client = new pg.Client({
    connectionString: address,
    connectionTimeoutMillis: PROBE_MS,
    query_timeout: PROBE_MS,
    application_name: 'stablecoin-platform hosts',
  });
  client.on('error', () => undefined); // the running call fails with the same error
  const host = { host: client.host, port: client.port };
  return { host, answer: requireWritable(client).then(() => host) };
}

async function requireWritable(client: pg.Client): Promise<void> {
  try {
    await client.connect();
    const { rows } = await client.query<{ isReadOnly: boolean }>(IS_READ_ONLY_SQL);
    if (rows[0]?.isReadOnly) throw new ReadOnlyHostError('no host of the database accepts writes');
  } finally {
    void client.end().catch(() => undefined);
  }
}

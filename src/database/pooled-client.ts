import pg from 'pg';

/**
 * A connection of the pool. Between the pool and TypeORM a connection has no listener for errors for a moment; an error that the
 * server sends just then would end the process. The next query fails, and the pool drops the connection.
 */
export class PooledClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}

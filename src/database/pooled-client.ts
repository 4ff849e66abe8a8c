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

/** A connection that sends each statement after the answer to the previous one, because a pooler may not support pipelining. */
export class SequentialClient extends PooledClient {
  private lastAnswer: Promise<unknown> = Promise.resolve();

  override query(...args: never[]): never {
    const send = (): unknown => super.query(...(args as unknown as [never]));
    if (typeof args.at(-1) === 'function') return send() as never; // statements with a callback are sent one by one already
    const answer = this.lastAnswer.then(send);
    this.lastAnswer = answer.catch(() => undefined);
    return answer as never;
  }
}

import type { Request, Response } from 'express';
import { QueryFailedError } from 'typeorm';
import { tracing } from '../tracing/trace.js';
import { JsonLogger } from './json-logger.js';

describe('A log line', () => {
  let lines: string[];
  const logger = new JsonLogger('debug', ['the-configured-secret'], {
    write: (line) => void lines.push(line),
  });
  const line = () => JSON.parse(lines.join('')) as Record<string, unknown>;

  beforeEach(() => {
    lines = [];
  });

  it('is JSON with level, time, context and message [SEC-134]', () => {
    logger.warn('held', 'Deposits');
    expect(line()).toMatchObject({ level: 40, msg: 'held', context: 'Deposits', time: expect.any(String) });
  });

  it('contains the given fields', () => {
    logger.log({ msg: 'GET 200', route: '/api/ping', status: 200 }, 'Request');
    expect(line()).toMatchObject({ msg: 'GET 200', route: '/api/ping', status: 200 });
  });

  it.each([
    ['alone', (error: Error) => logger.error(error)],
    ['as a field', (error: Error) => logger.error({ msg: 'failed', err: error })],
  ])('contains name, message and stack of an error given as %s, and no query parameters', (_, write) => {
    const cause = new Error('duplicate key of ann@example.org');
    write(new QueryFailedError('insert into session values ($1)', ['canary-parameter'], cause));
    expect(line().err).toMatchObject({ type: 'QueryFailedError', message: 'duplicate key of [redacted]' });
    expect(lines.join('')).not.toMatch(/canary-parameter|ann@example/);
  });

  it('contains the causes of an error, scrubbed as well', () => {
    const cause = new Error('401 for Bearer canary-token');
    logger.error({ msg: 'failed', err: new Error('outer', { cause }) });
    expect(line().err).toMatchObject({ message: 'outer', cause: { message: '401 for [redacted]' } });
  });

  it('contains no secret of the configuration in any field', () => {
    logger.warn({ msg: 'the-configured-secret', deep: [{ inner: 'of the-configured-secret.' }] }, 'Test');
    expect(line()).toMatchObject({ msg: '[redacted]', deep: [{ inner: 'of [redacted].' }], context: 'Test' });
  });

  it('contains the trace of its request', () => {
    const request = { header: () => undefined } as unknown as Request;
    tracing(request, { setHeader: () => undefined } as unknown as Response, () => logger.debug('inside'));
    expect(line().traceId).toMatch(/^[0-9a-f]{32}$/);
  });
});

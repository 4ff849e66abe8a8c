import type { Request, Response } from 'express';
import { QueryFailedError } from 'typeorm';
import { tracing } from '../tracing/trace.js';
import { JsonLogger, scrubbed } from './json-logger.js';

const SECRETS = [
  'Bearer abcdef.123456',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
  'whsec_c2FuZGJveC1jdXN0b2R5',
  'postgres://platform:hunter2@db.internal/platform',
  'redis://:hunter2@cache.internal',
  'ann.example+tag@example.org',
];

it.each(SECRETS)('%s does not reach a log', (secret) => {
  const line = scrubbed(`before ${secret} between ${secret} after`);
  expect(line).not.toContain(secret);
  expect(line).not.toContain('hunter2');
  expect(line).toMatch(/^before .* between .* after$/);
});

it('leaves everything else as it is', () => {
  const line = 'GET /api/user/investments/:id: INTERNAL_SERVER_ERROR after 12.5 ms';
  expect(scrubbed(line)).toBe(line);
});

describe('A line of the log', () => {
  let lines: string[];
  const logger = new JsonLogger('debug', { write: (line) => void lines.push(line) });
  const line = () => JSON.parse(lines.join('')) as Record<string, unknown>;

  beforeEach(() => {
    lines = [];
  });

  it('is JSON with level, time, context and message', () => {
    logger.warn('held', 'Deposits');
    expect(line()).toMatchObject({ level: 40, msg: 'held', context: 'Deposits', time: expect.any(String) });
  });

  it('has the fields that it was given', () => {
    logger.log({ msg: 'GET 200', route: '/api/ping', status: 200 }, 'Request');
    expect(line()).toMatchObject({ msg: 'GET 200', route: '/api/ping', status: 200 });
  });

  it.each([
    ['alone', (error: Error) => logger.error(error)],
    ['as a field', (error: Error) => logger.error({ msg: 'failed', err: error })],
  ])('has of an error, given %s, its name, message and stack and no parameters', (_, write) => {
    const cause = new Error('duplicate key of ann@example.org');
    write(new QueryFailedError('insert into session values ($1)', ['canary-parameter'], cause));
    expect(line().err).toMatchObject({ type: 'QueryFailedError', message: 'duplicate key of [redacted]' });
    expect(lines.join('')).not.toMatch(/canary-parameter|ann@example/);
  });

  it('has the trace of its request', () => {
    const request = { header: () => undefined } as unknown as Request;
    tracing(request, { setHeader: () => undefined } as unknown as Response, () => logger.debug('inside'));
    expect(line().traceId).toMatch(/^[0-9a-f]{32}$/);
  });
});

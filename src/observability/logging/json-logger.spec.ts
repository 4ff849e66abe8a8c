import type { Request, Response } from 'express';
import { QueryFailedError } from 'typeorm';
import { tracing } from '../tracing/trace.js';
import { randomBytes, randomInt } from 'node:crypto';
import { verifyCheckpoint } from '../../../client/verify.js';
import { NoteVerifier, signCheckpoint } from '../../modules/assurance/proofs/domain/checkpoint.js';
import { SigningKey } from '../../modules/assurance/proofs/domain/signing-key.js';
import { JsonLogger } from './json-logger.js';
import { PublicText } from './public-text.js';

describe('A log line', () => {
  let lines: string[];
  const logger = new JsonLogger('debug', ['the-configured-secret'], {
    write: (line) => {
      lines.push(line);
    },
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
  ])(
    'contains name, message and stack of an error that is logged %s, and no query parameters',
    (_, write) => {
      const cause = new Error('duplicate key of ann@example.org');
      write(new QueryFailedError('insert into session values ($1)', ['canary-parameter'], cause));
      expect(line().err).toMatchObject({
        type: 'QueryFailedError',
        message: 'duplicate key of [redacted]',
        stack: expect.stringMatching(/\n\s+at /),
      });
      expect(lines.join('')).not.toMatch(/canary-parameter|ann@example/);
    },
  );

  it('contains the causes of an error, scrubbed as well', () => {
    const cause = new Error('401 for Bearer canary-token');
    logger.error({ msg: 'failed', err: new Error('outer', { cause }) });
    expect(line().err).toMatchObject({ message: 'outer', cause: { message: '401 for [redacted]' } });
  });

  it('contains no secret of the configuration in any field', () => {
    logger.warn({ msg: 'the-configured-secret', deep: [{ inner: 'of the-configured-secret.' }] }, 'Test');
    expect(line()).toMatchObject({ msg: '[redacted]', deep: [{ inner: 'of [redacted].' }], context: 'Test' });
  });

  it('contains public text unchanged, such as signed checkpoints', async () => {
    const origin = 'api.example.org/ledger';
    // Many random texts, because only some of them look like secrets.
    for (let round = 0; round < 300; round++) {
      const key = new SigningKey(randomBytes(32));
      const size = randomInt(2 ** 40);
      const root = randomBytes(32);
      const note = signCheckpoint({ origin, size, root }, [key]);
      lines = [];
      logger.log({ msg: 'day', root: new PublicText(root.toString('base64')), note: new PublicText(note) });
      expect(line()).toMatchObject({ root: root.toString('base64'), note });
      await verifyCheckpoint(line().note as string, new NoteVerifier(origin, key.publicKey).toString());
    }
  });

  it('scrubs objects that only look like public text, which input of callers can contain', () => {
    const text = 'Zk9vd1p1bUZxdk5ZVmZzUWNhbmFyeTEyMzQ1Njc4OTA-abc';
    const given = JSON.parse(
      `{"text":"${text}","constructor":{"name":"PublicText"},"__proto__":{"text":"${text}"}}`,
    );
    const forged = Object.create(PublicText.prototype, { text: { value: text, enumerable: true } });
    logger.log({ msg: 'given', given, forged, toJSON: text });
    expect(lines.join('')).not.toContain('NhbmFyeT'); // a part of `text`
  });

  it('contains the trace of its request', () => {
    const request = { header: () => undefined } as unknown as Request;
    tracing(request, { setHeader: () => undefined } as unknown as Response, () => logger.debug('inside'));
    expect(line().traceId).toMatch(/^[0-9a-f]{32}$/);
  });
});

import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import express from 'express';
import type { Router } from 'express';
import { applyFaults } from './faults.js';
import type { Faults } from './faults.js';
import { readJson, writeJson } from './json-file.js';
import type { SandboxSettings } from './sandbox-settings.js';

export const SCREENING_VERDICTS = ['clear', 'review', 'blocked'] as const;
export type ScreeningVerdict = (typeof SCREENING_VERDICTS)[number];

/** Verdicts by e-mail address or chain address in lower case. */
type Rules = Record<string, ScreeningVerdict>;

const SAMPLE_RULES: Rules = {
  '0x000000000000000000000000000000000000dead': 'blocked',
  'blocked@example.org': 'blocked',
  'review@example.org': 'review',
};
const RISK_SCORES: Record<ScreeningVerdict, number> = { clear: 5, review: 55, blocked: 95 };
const LONGEST_AGE_SECONDS = 300;

/** The body of POST /screen, before its validation. */
interface ScreeningRequest {
  reference?: unknown;
  subject?: { type?: unknown; id?: unknown; email?: unknown; address?: unknown };
}

/** The screening provider: answers from a list of e-mail addresses and chain addresses, and `clear` for all others. */
export class ScreeningProvider {
  private readonly file: string;
  private rules: Rules;
  /** The subjects of the requests that got a verdict, in order, for tests. */
  readonly asked: { type: string; id: string }[] = [];

  constructor(
    dataDir: string,
    private readonly secret: string,
  ) {
    this.file = join(dataDir, 'screening-rules.json');
    this.rules = readJson<Rules>(this.file) ?? SAMPLE_RULES;
  }

  setRule(match: string, verdict: ScreeningVerdict): { match: string; verdict: ScreeningVerdict } {
    this.rules = { ...this.rules, [match.toLowerCase()]: verdict };
    writeJson(this.file, this.rules);
    return { match, verdict };
  }

  /** Answers a request and adds its subject to `asked`. */
  answer(subject: { type: string; id: string; email?: string; address?: string }): object {
    const { type, id, email, address } = subject;
    this.asked.push({ type, id });
    const verdict = this.rules[(email ?? address ?? '').toLowerCase()] ?? 'clear';
    const lists = verdict === 'blocked' ? ['SANDBOX-SANCTIONS'] : [];
    return { verdict, riskScore: RISK_SCORES[verdict], lists, reference: `scr-${randomUUID()}` };
  }

  /** The signature must be hex(HMAC-SHA256(secret, timestamp + "." + body)), with a timestamp at most five minutes from now. */
  isSigned(timestamp: string, body: string, signature: string): boolean {
    const expected = Buffer.from(
      createHmac('sha256', this.secret).update(`${timestamp}.${body}`).digest('hex'),
    );
    const received = Buffer.from(signature);
    const ageSeconds = Math.abs(Date.now() / 1000 - Number(timestamp));
    return (
      ageSeconds <= LONGEST_AGE_SECONDS &&
      received.length === expected.length &&
      timingSafeEqual(expected, received)
    );
  }
}

/** The provider's HTTP interface, under /screening-provider: POST /screen. */
export function screeningRoutes(provider: ScreeningProvider, faults: Faults): Router {
  const router = express.Router();
  router.use(applyFaults(faults, 'screening'), express.raw({ type: () => true }));
  router.post('/screen', (request, response) => {
    const body = Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '';
    if (!provider.isSigned(request.get('X-Timestamp') ?? '', body, request.get('X-Signature') ?? '')) {
      response.status(401).json({ error: 'X-Timestamp or X-Signature is wrong.' });
      return;
    }
    const subject = subjectOf(body);
    if (subject) response.json(provider.answer(subject));
    else response.status(400).json({ error: 'The body must be {reference, subject: {type, id, …}}.' });
  });
  return router;
}

function subjectOf(body: string): Parameters<ScreeningProvider['answer']>[0] | undefined {
  let request: ScreeningRequest;
  try {
    request = (JSON.parse(body) ?? {}) as ScreeningRequest;
  } catch {
    return undefined;
  }
  const { type, id, email, address } = request.subject ?? {};
  if (typeof request.reference !== 'string' || typeof id !== 'string') return undefined;
  if (type === 'user' && typeof email === 'string') return { type, id, email };
  return type === 'address' && typeof address === 'string' ? { type, id, address } : undefined;
}

/** Settings of the platform that name this provider. */
export function screeningEnvironment(sandboxUrl: string, { SCREENING_SECRET }: SandboxSettings) {
  return { SCREENING_URL: `${sandboxUrl}/screening-provider`, SCREENING_SECRET };
}

import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { fieldsOf, parseMessage, readDeposit } from '../../src/modules/funds/deposits/domain/crypto2b.js';
import { DepositProvider } from '../../src/modules/funds/deposits/deposit-provider.client.js';
import {
  readAnswer,
  ScreeningProvider,
  type ScreenedSubject,
} from '../../src/modules/identity/screening/screening-provider.client.js';
import { eventually } from '../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { providerContract, providerTraffic } from '../harness/provider-contract.js';
import { DepositScenario } from '../fixtures/deposit-scenario.js';

interface Document {
  info: { description: string };
  'x-signature-example': Record<string, string>;
  webhooks?: Record<string, { post: { requestBody: { content: Record<string, { example: unknown }> } } }>;
  paths?: Record<string, { post?: { requestBody: { content: Record<string, { example: unknown }> } } }>;
}

const documentOf = (provider: string) =>
  JSON.parse(readFileSync(`docs/providers/${provider}.json`, 'utf8')) as Document;

describe('The document of the deposit provider', () => {
  const document = documentOf('deposit');

  it('has an example of a signature that the described steps give', () => {
    const { secret, timestamp, recvWindow, method, path, body, signature } = document['x-signature-example'];
    const key = Buffer.from(String(secret), 'base64');
    const text = `${timestamp}${recvWindow}${method}${path}${body}`;
    expect(createHmac('sha512', key).update(text).digest('base64')).toBe(signature);
    const example = document.webhooks?.deposit?.post.requestBody.content['application/json']?.example;
    expect(JSON.parse(String(body))).toEqual(example);
  });

  it.each([
    ['type', { type: 'Withdrawal' }, false],
    ['id', { id: null }, false],
    ['id that is text', { id: 'a-7' }, true],
    ['status', { status: '' }, false],
    ['status that is unknown', { status: 'Frozen' }, true],
    ['instrument', { instrument: null }, false],
    ['address', { address: {} }, false],
    ['amount below zero', { transaction: { amount: -1 } }, false],
    ['amount that is text', { transaction: { amount: '600.000001' } }, true],
    ['amount that is missing', { transaction: { hash: 'ab' } }, false],
    ['confirmations that are null', { transaction: { amount: 1, confirmations: null } }, true],
    ['confirmations below zero', { transaction: { amount: 1, confirmations: -1 } }, false],
    ['field that is unknown', { more: true }, true],
  ])('agrees with the service about a deposit with another %s: %j', (_, change, isValid) => {
    const { data } = document.webhooks?.deposit?.post.requestBody.content['application/json']?.example as {
      data: object;
    };
    const sent = { data: { ...data, ...change } };
    const requireDocumented = () =>
      providerContract('deposit').requireDocumentedRequest({
        method: 'POST',
        path: '/api/webhooks/crypto2b/deposit',
        query: new URLSearchParams(),
        headers: new Headers({
          'X-Processing-Key': 'k',
          'X-Processing-Timestamp': '1',
          'X-Processing-Signature': 's',
        }),
        body: sent,
      });
    if (isValid) expect(requireDocumented).not.toThrow();
    else expect(requireDocumented).toThrow('is not as documented');
    const received = fieldsOf(parseMessage(JSON.stringify(sent)));
    expect(readDeposit(received.data) !== undefined).toBe(isValid);
  });
});

it('The document of the custody provider has an example of a signature according to Standard Webhooks', () => {
  const { secret, id, timestamp, body, signature } = documentOf('custody')['x-signature-example'];
  const key = Buffer.from(String(secret).slice('whsec_'.length), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  expect(signature).toBe(`v1,${expected}`);
  const sentAt = new Date(Number(timestamp) * 1000);
  expect(new Webhook(String(secret)).sign(String(id), sentAt, String(body))).toBe(signature);
});

describe('The document of the screening service', () => {
  it('has an example of a signature that the described steps give', () => {
    const { secret, timestamp, body, signature } = documentOf('screening')['x-signature-example'];
    const expected = createHmac('sha256', String(secret)).update(`${timestamp}.${body}`).digest('hex');
    expect(expected).toBe(signature);
  });

  it.each([
    [{}, true],
    [{ verdict: 'fine' }, false],
    [{ riskScore: -1 }, false],
    [{ lists: 'EU' }, false],
    [{ reference: '' }, false],
    [{ note: 'more' }, true],
  ])('agrees with the service about an answer with %j', (change, isValid) => {
    const answer = { verdict: 'clear', riskScore: 5, lists: ['EU'], reference: 'r', ...change };
    const requireDocumented = () =>
      providerContract('screening').requireDocumented('POST', '/screen', 200, answer, new Headers());
    if (isValid) expect(requireDocumented).not.toThrow();
    else expect(requireDocumented).toThrow('does not match');
    expect(readAnswer(JSON.stringify(answer)) !== undefined).toBe(isValid);
  });
});

describe('What the service and the providers of the sandbox send to each other', () => {
  let scenario: DepositScenario;
  let screened: TestPlatform;

  beforeAll(async () => {
    scenario = await DepositScenario.start();
    screened = await startPlatform({ screening: true });
  });
  afterAll(async () => {
    await scenario?.stop(); // fails if a message differs from its document, as the end of every platform of the tests does
    await screened?.stop();
  });

  it('covers every route and callback of the documents, and is as documented', async () => {
    const { providers } = scenario.platform.outside;
    const { address } = await scenario.userWithAddress('USDT', 'TRC20');
    const { depositId } = await scenario.provider.pay(address, '600.123456');
    await scenario.mineBlocks(20);
    await scenario.pollProvider();
    await scenario.platform.app.get(DepositProvider).findDeposit(String(depositId));
    await scenario.provider.reportWithdrawal('0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11', 'Failed', 'refused');
    await providers.custody.report({ strategyId: 'balanced-10', day: '2026-03-02', apy: '9.50' }).delivery;
    await screened.given.user();
    const { seen } = providerTraffic();
    await eventually(() => {
      for (const provider of ['deposit', 'custody', 'screening'] as const)
        for (const route of providerContract(provider).routeNames())
          expect(seen).toContain(`${provider} ${route} 200`);
      return Promise.resolve();
    });
  });

  it.each([
    ['an answer', { type: 'user', id: '1', email: 'ann@example.org' }, 'perhaps', '/verdict must be equal'],
    ['a request', { type: 'user', id: '1', email: 'ann@example.org', age: 7 }, 'clear', 'must NOT have'],
  ])(
    'is reported as a violation if %s differs from its document',
    async (_, subject, verdict, difference) => {
      const answer = { verdict, riskScore: 1, lists: [], reference: 'r' };
      const answers = jest.spyOn(screened.outside.providers.screening, 'answer').mockReturnValue(answer);
      await screened.app
        .get(ScreeningProvider)
        .screen('r', subject as ScreenedSubject)
        .catch(() => undefined);
      answers.mockRestore();
      const { violations } = providerTraffic();
      expect(violations.splice(0)).toEqual([expect.stringContaining(difference)]);
    },
  );
});

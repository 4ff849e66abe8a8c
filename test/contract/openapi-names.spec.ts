import { errorCodesOf } from '../../src/http/openapi/references.js';
import { FEED_EVENTS } from '../../src/modules/messaging/event-feed/feed-types.constants.js';
import { EVENT_TYPES, TEST_EVENT } from '../../src/modules/messaging/webhooks/webhooks.types.js';
import { sendRequest } from '../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

interface Operation {
  operationId: string;
  responses: Record<string, object>;
}

interface Schema {
  properties?: Record<string, { enum?: string[] }>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: { requestBody: { content: object } } }>;
  components: { responses: Record<string, object>; schemas: Record<string, Schema> };
}

/** The names, shared parts and webhooks from which generators make clients. */
describe('The OpenAPI document for generators', () => {
  let platform: TestPlatform;
  let document: Document;
  let operations: Map<string, Operation>;

  beforeAll(async () => {
    platform = await startPlatform();
    document = (await sendRequest(`${platform.baseUrl}/api/openapi.json`)).body as Document;
    operations = new Map(
      Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
      ),
    );
  });
  afterAll(() => platform?.stop());

  it('names every operation by a verb and a noun, once', () => {
    const names = [...operations.values()].map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[a-z]+([A-Z][a-z]*)+$/.test(name))).toEqual(['ping']);
    const named = ['GET /api/user/withdrawals', 'POST /api/user/investments', 'GET /api/user/balance'];
    expect(named.map((name) => operations.get(name)?.operationId)).toEqual([
      'listWithdrawals',
      'createInvestment',
      'getBalance',
    ]);
  });

  it('tells the two answers of a sign-in apart by a discriminator', async () => {
    const answers = [];
    for (const session of ['bearer', 'cookie']) {
      const token = await platform.outside.providers.identity.token({ email: 'session@example.org' });
      answers.push((await platform.as({ token }).post('/api/auth/idp/login', { session })).data.session);
    }
    expect(answers).toEqual(['bearer', 'cookie']);
    for (const name of ['POST /api/auth/idp/login', 'POST /api/auth/wallet/login']) {
      const text = JSON.stringify(operations.get(name)?.responses['200']);
      expect(text).toContain('"discriminator":{"propertyName":"session","mapping":{"bearer":');
    }
  });

  it('refers to one shared response for each error code and status, except those that only one operation has', () => {
    const shared = document.components.responses;
    const texts = Object.values(shared).map((response) => JSON.stringify(response));
    expect(new Set(texts).size).toBe(texts.length);
    const inline = new Map<string, number>();
    for (const [route, operationsOfPath] of Object.entries(document.paths))
      for (const [method, { responses }] of Object.entries(operationsOfPath))
        for (const [status, response] of Object.entries(responses)) {
          if (status < '400' || '$ref' in response || method === 'head' || route.includes('/health'))
            continue;
          const text = JSON.stringify(response);
          inline.set(text, (inline.get(text) ?? 0) + 1);
          expect([route, errorCodesOf(response).length]).not.toEqual([route, 1]);
        }
    expect([...inline.values()].every((count) => count === 1)).toBe(true);
    expect(Object.keys(shared)).toEqual(expect.arrayContaining(['Unauthenticated', 'WithdrawalNotFound']));
  });

  it('has the answer of success in the operation itself, since generated clients do not read the body of a reference', () => {
    const first = [...operations].map(
      ([name, { responses }]) => [name, Object.values(responses)[0]] as const,
    );
    expect(first.filter(([, response]) => response && '$ref' in response).map(([name]) => name)).toEqual([]);
  });

  it('describes every event that the service sends to servers of users and of the operator as a webhook', () => {
    const bodies = Object.entries(document.webhooks).map(([name, { post }]) => {
      const [[contentType, { schema }]] = Object.entries(post.requestBody.content) as [
        [string, { schema: { $ref: string } }],
      ];
      const { properties = {} } = document.components.schemas[
        schema.$ref.split('/').at(-1) as string
      ] as Schema;
      return { name, contentType, types: properties.type?.enum ?? [] };
    });
    const ofUsers = bodies.filter(({ contentType }) => contentType === 'application/json');
    const ofOperator = bodies.filter(({ contentType }) => contentType === 'application/cloudevents+json');
    expect(ofUsers.flatMap(({ types }) => types).sort()).toEqual([...EVENT_TYPES, TEST_EVENT].sort());
    expect(ofOperator.flatMap(({ types }) => types)).toEqual(Object.keys(FEED_EVENTS));
  });
});

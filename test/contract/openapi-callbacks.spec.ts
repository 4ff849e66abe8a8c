import { Webhook } from 'standardwebhooks';
import { withoutReferences } from '../../src/http/openapi/references.js';
import { SANDBOX_SETTINGS } from '../../src/sandbox/sandbox-settings.js';
import { signedHeaders } from '../../src/sandbox/signature.js';
import { sendRequest } from '../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

interface Operation {
  parameters: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: { example?: object } }> };
}

describe('The OpenAPI document of callbacks of the providers', () => {
  let platform: TestPlatform;
  let paths: Record<string, { post: Operation }>;

  beforeAll(async () => {
    platform = await startPlatform();
    const { body } = await sendRequest(`${platform.baseUrl}/api/openapi.json`);
    ({ paths } = withoutReferences(body) as { paths: typeof paths });
  });
  afterAll(() => platform?.stop());

  const operationOf = (kind: string) => paths[`/api/webhooks/{provider}/${kind}`]?.post as Operation;
  const exampleOf = (kind: string) => {
    const { requestBody } = operationOf(kind);
    return JSON.stringify(requestBody?.content['application/json']?.schema.example);
  };
  const headersOf = (kind: string) =>
    operationOf(kind)
      .parameters.filter((parameter) => parameter.in === 'header')
      .map(({ name }) => name);

  it.each(['deposit', 'withdrawal'])(
    'has an example of a %s that the service accepts with the documented signature',
    async (kind) => {
      const path = `/api/webhooks/${SANDBOX_SETTINGS.DEPOSIT_PROVIDER_NAME}/${kind}`;
      const body = exampleOf(kind);
      const headers = signedHeaders(
        { key: SANDBOX_SETTINGS.DEPOSIT_PROVIDER_KEY, secret: SANDBOX_SETTINGS.DEPOSIT_PROVIDER_SECRET },
        { method: 'POST', url: `${platform.baseUrl}${path}`, body },
      );
      expect(headersOf(kind).sort()).toEqual(Object.keys(headers).sort());
      const reply = await platform.as(null).post(path, body, { headers });
      expect(reply).toMatchObject({ status: 200, data: { received: true } });
    },
  );

  it('has an example of a yield report that the service accepts with the documented signature', async () => {
    const body = exampleOf('yield');
    const signed = new Webhook(SANDBOX_SETTINGS.CUSTODY_WEBHOOK_SECRET);
    const id = 'msg_documented';
    const at = new Date();
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': signed.sign(id, at, body),
    };
    expect(headersOf('yield').sort()).toEqual(Object.keys(headers).sort());
    const path = `/api/webhooks/${SANDBOX_SETTINGS.CUSTODY_PROVIDER_NAME}/yield`;
    const reply = await platform.as(null).post(path, body, { headers });
    expect(reply).toMatchObject({ status: 200, data: { received: true } });
  });
});

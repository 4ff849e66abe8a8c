import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { DomainEvents, type PlatformEvent } from '../../src/events/domain-events.js';
import { UnitOfWork } from '../../src/database/unit-of-work.js';
import { newId } from '../../src/common/ids.js';
import { Money } from '../../src/common/money.js';
import { schemasOf } from '../../src/http/openapi/schemas.js';
import {
  asyncApiDocument,
  EVENT_DATA_CLASSES,
} from '../../src/modules/messaging/live/domain/asyncapi-document.js';
import { ADMIN_EVENTS, USER_EVENTS } from '../../src/modules/messaging/live/event-types.constants.js';
import { LiveModule } from '../../src/modules/messaging/live/live.module.js';
import type { TestUser } from '../fixtures/given.js';
import { eventually } from '../harness/eventually.js';
import { LiveClient, type LiveMessage } from '../harness/live-client.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

interface Message {
  name: string;
  payload: object;
}

interface Document {
  info: { title?: string };
  servers: Record<string, { host: string; protocol: string }>;
  channels: Record<string, { messages: Record<string, { $ref: string }> }>;
  operations: Record<string, { action: string; channel: { $ref: string } }>;
  components: { messages: Record<string, Message>; schemas: Record<string, object> };
  'x-close-codes': Record<string, string>;
}

const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const USER_TYPES = Object.keys(USER_EVENTS);
const ADMIN_TYPES = Object.keys(ADMIN_EVENTS);

/** The properties of docs/asyncapi.json on which readers and generated clients rely. */
describe('The AsyncAPI document', () => {
  let platform: TestPlatform;
  let document: Document;
  let user: TestUser;
  const clients: LiveClient[] = [];

  beforeAll(async () => {
    platform = await startPlatform();
    const schemas = schemasOf(platform.app, LiveModule, EVENT_DATA_CLASSES);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    document = JSON.parse(JSON.stringify(asyncApiDocument(schemas, version))) as Document;
    user = await platform.given.user().withBalance('1000.00');
  });
  afterAll(async () => {
    for (const client of clients) await client.end();
    await platform?.stop();
  });

  const connect = async (token: string): Promise<LiveClient> => {
    const client = await LiveClient.connect(platform.baseUrl, { token });
    clients.push(client);
    return client.ready();
  };

  const emit = (event: PlatformEvent & Record<string, unknown>) =>
    platform.app
      .get(UnitOfWork)
      .runInTransaction((tx) => platform.app.get(DomainEvents).emit(tx, { ...event }));

  /** Emits every domain event of a topic such as `deposit`, each about another resource. */
  async function emitAll(topic: string, details: Record<string, unknown>): Promise<void> {
    const at = platform.clock.now();
    for (const type of USER_TYPES.filter((name) => name.startsWith(`${topic}.`)))
      await emit({
        name: type as `${string}.${string}`,
        at,
        userId: user.id,
        [`${topic}Id`]: newId(),
        ...details,
      });
  }

  /** A function that returns the problem of a message to a `user` or an `admin`, or an empty text. */
  const validatorOf = (recipient: string) => {
    const ajv = new Ajv({ strict: false, allErrors: true });
    addFormats.default(ajv);
    const closedSchemas = Object.entries(document.components.schemas).map(([name, schema]) => [
      name,
      { additionalProperties: false, ...schema },
    ]);
    ajv.addSchema({ $id: 'document', components: { schemas: Object.fromEntries(closedSchemas) } });
    const validators = new Map<string, ValidateFunction>();
    for (const { $ref } of Object.values(document.channels[recipient]?.messages ?? {})) {
      const { name, payload } = document.components.messages[$ref.split('/').at(-1) as string] as Message;
      const text = JSON.stringify(payload);
      const withDocumentId = text.replaceAll('"#/', '"document#/'); // resolves references in the schemas added above
      validators.set(name, ajv.compile(JSON.parse(withDocumentId) as object));
    }
    return (frame: LiveMessage): string => {
      const validate = validators.get(frame.type);
      if (!validate) return `${frame.type} is not documented`;
      const isValid: boolean = validate(frame);
      return isValid ? '' : `${frame.type}: ${ajv.errorsText(validate.errors)}`;
    };
  };

  const problemsOf = async (changed: Document): Promise<string[]> => {
    const problems = await lintFromString({
      source: JSON.stringify(changed),
      absoluteRef: resolve('docs/asyncapi.json'),
      config: await createConfig({ extends: ['recommended-strict'] }),
    });
    return problems.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer}`);
  };

  it('has the structure of AsyncAPI 3, and the same check reports the errors of a broken document', async () => {
    expect(await problemsOf(document)).toEqual([]);
    const broken = structuredClone(document);
    delete broken.info.title;
    Object.assign(broken.operations, { other: { action: 'publish', channel: { $ref: '#/channels/none' } } });
    expect(await problemsOf(broken)).toEqual(
      expect.arrayContaining([
        'struct #/info',
        'struct #/operations/other/action',
        'no-unresolved-refs #/operations/other/channel',
      ]),
    );
  });

  it('names the deployed platform and the sandbox as servers', () => {
    const { platform: deployed, sandbox } = document.servers;
    expect([deployed?.protocol, deployed?.host]).toEqual(['wss', '{host}']);
    expect([sandbox?.protocol, sandbox?.host]).toEqual(['ws', 'localhost:3000']);
  });

  it('names the schema of every message and of its data', () => {
    for (const { payload } of Object.values(document.components.messages)) {
      const [, name = ''] = /^#\/components\/schemas\/(\w+)$/.exec((payload as { $ref: string }).$ref) ?? [];
      const { properties } = document.components.schemas[name] as { properties: { data: object } };
      expect(Object.keys(properties.data)).toEqual(['$ref']);
    }
  });

  it('lists every close code of the service', () => {
    expect(Object.keys(document['x-close-codes'])).toEqual(['1008', '1009', '1012', '1013', '4401', '4429']);
  });

  it('describes every message to a user as it is sent', async () => {
    const client = await connect(user.token);
    const amount = Money.of('12.3456789');
    const mined = { blockNumber: 7, confirmations: 3, gasUsed: null, gasPrice: null };
    const transfer = {
      currency: 'USDC',
      amount,
      toAddress: ADDRESS,
      txHash: `0x${'ab'.repeat(32)}`,
      reason: null,
    };
    await platform.given.deposit(user.id, '7.00');
    await emitAll('deposit', { network: 'ERC20', credited: null, fromAddress: null, ...mined, ...transfer });
    await emitAll('investment', {
      strategyId: 'balanced-10',
      strategyName: 'Balanced 10%',
      principal: amount,
      growth: Money.of('-0.5'),
      fees: Money.ZERO,
    });
    await emitAll('withdrawal', { ...transfer, amount: Money.of('12.34') });

    await eventually(async () => expect([...new Set(client.types)].sort()).toEqual([...USER_TYPES].sort()));
    const problemOf = validatorOf('user');
    expect(client.messages.map(problemOf).filter(Boolean)).toEqual([]);
    const incomplete = { ...(client.events[0] as LiveMessage), data: { depositId: 'x' } };
    expect(problemOf(incomplete)).not.toBe(''); // control: the validator finds a wrong message
  });

  it('describes every message to an admin as it is sent', async () => {
    const admin = await platform.given.admin();
    const client = await connect(admin.token);
    const at = platform.clock.now();
    const amount = Money.of('100');
    const transfer = { amount, currency: 'USDC', toAddress: ADDRESS, txHash: null, reason: null };
    const txHash = `0x${'ab'.repeat(32)}`;
    const mined = { blockNumber: null, confirmations: 0, gasUsed: null, gasPrice: null };
    await emitAll('deposit', {
      network: 'ERC20',
      credited: null,
      fromAddress: null,
      ...mined,
      ...transfer,
      txHash,
    });
    await emitAll('withdrawal', transfer);
    await emit({ name: 'withdrawal.returned', at, userId: user.id, withdrawalId: newId(), ...transfer });
    const sums = { principal: amount, growth: Money.ZERO, fees: Money.ZERO };
    const investment = { strategyId: 'balanced-10', strategyName: 'Balanced 10%', ...sums };
    await emitAll('investment', investment);
    const pending = { ...investment, userId: user.id, investmentId: newId(), isPending: true };
    await emit({ name: 'investment.created', at, ...pending });
    await emit({ name: 'integrity.violation', at, runId: newId() });
    for (const [name, resolvedBy] of [
      ['alert.raised', null],
      ['alert.resolved', 'admin'],
    ] as const) {
      const alert = {
        alertId: newId(),
        kind: 'clock-apart',
        subjectType: 'process',
        subjectId: 'a',
        resolvedBy,
      };
      await emit({ name, at, ...alert, message: 'The clock is wrong.', nextStep: 'Set the clock.' });
    }
    await emit({ name: 'transaction-request.assigned', at, requestId: newId(), assignedTo: admin.email });
    const subject = { type: 'user', id: newId(), label: 'ann@example.org' };
    for (const [name, status, decidedBy] of [
      ['approval.requested', 'pending', null],
      ['approval.decided', 'approved', 'admin2@example.com'],
    ] as const) {
      const approval = { id: newId(), kind: 'user.email-change', status, subject, decidedBy };
      await emit({
        name,
        at,
        approval: { ...approval, requestedBy: admin.email },
        permission: 'users:write',
      });
    }

    await eventually(async () => expect([...new Set(client.types)].sort()).toEqual([...ADMIN_TYPES].sort()));
    expect(client.messages.map(validatorOf('admin')).filter(Boolean)).toEqual([]);
  });
});

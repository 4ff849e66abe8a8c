import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultStrategies } from '../../src/config/strategies-file.js';
import { INVARIANTS } from '../../src/modules/assurance/integrity/invariants.repository.js';
import { COMPONENTS, DETAILS } from '../../src/modules/operations/health/domain/component-health.js';
import {
  serviceLevelsOf,
  type Incident,
  type Measurements,
} from '../../src/modules/operations/sla/domain/service-levels.js';
import { BOUNDS_MS } from '../../src/modules/operations/sla/domain/histogram.js';
import { toSlaReportResponse, toSlaStatusResponse } from '../../src/modules/operations/sla/sla.mapper.js';
import { loadConsoleModule, loadConsoleModuleIn } from '../harness/console-modules.js';

const SOURCES = fileURLToPath(new URL('../../src', import.meta.url));

type Book = (text: string, valueText: (value: string) => string) => string | undefined;
interface GermanService {
  SERVICE_TEXTS: readonly (readonly [english: string, german: string])[];
  serviceText: Book;
  transferText: Book;
  invariantName(name: string): string | undefined;
}
interface RecordNames {
  CODES: object;
  KINDS: object;
  LISTS: object;
  VERBS: object;
}
interface StatusTexts {
  COMPONENT: object;
  TARGET: object;
  impactText: (impact: string, textOf: (part: string) => string) => string;
}

const sourceOf = (folder: string): string =>
  readdirSync(join(SOURCES, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!spec)\.ts$/.test(name))
    .map((name) => readFileSync(join(SOURCES, folder, name), 'utf8'))
    .join('\n');

/** The texts in which a pattern captures a literal, with a value in place of each expression. */
const literalsOf = (source: string, pattern: RegExp): string[] =>
  [...source.matchAll(pattern)].map(([, , text = '']) => text.replace(/\$\{[^{}]*\}/g, 'value'));

/** The modules, without texts of alerts, mails and documents. */
const refusingSources = (): string =>
  readdirSync(join(SOURCES, 'modules'), { recursive: true, encoding: 'utf8' })
    .filter(
      (name) => /(?<!spec)\.ts$/.test(name) && !/\/mail\/|alert|-texts|-document|\.job\.ts|health/.test(name),
    )
    .map((name) => readFileSync(join(SOURCES, 'modules', name), 'utf8'))
    .join('\n');

/** Refusals of requests that no page sends, messages that no page shows, and those of alerts, which have German of their own. */
const NOT_SHOWN: ReadonlySet<string> = new Set([
  'The API key does not allow this network address.',
  'The API key has expired.',
  'The API key is not valid.',
  'EVENT_WEBHOOK_URL has not accepted an event for five minutes. The events after it wait.',
  'LIMITS_FILE has no tier "value", which value user(s) have. The strictest limits of all its tiers apply to them.',
  'The database was restored from a backup. No transactions enter the transparency log.',
  'The investment is cancelled: value USDC is available again.',
  'The screening provider asks for a review of this user.',
  'The screening provider blocks this value.',
  'The screening provider does not answer: withdrawals without a fresh verdict wait.',
  'Too many requests.',
  'Web pages of this origin may not connect. Add it to CORS_ORIGINS.',
]);

const RECORD_NAMES = [
  'ui/phrases',
  'ui/transaction-types',
  'ui/loaded-german',
  'console/service-phrases',
  'console/service-texts',
];

const GERMAN = ['console/german-invariants', 'console/german-violations', 'ui/phrases'];

describe('The German pages', () => {
  let german: GermanService;
  const missing = (texts: readonly string[]) =>
    texts.filter((text) => german.serviceText(text, String) === undefined);

  beforeAll(async () => {
    german = await loadConsoleModule('console/german-service', ...GERMAN);
  });

  it('have a name and the sentence of every invariant', () => {
    expect(missing(INVARIANTS.map(({ description }) => description))).toEqual([]);
    expect(INVARIANTS.filter(({ name }) => !german.invariantName(name))).toEqual([]);
  });

  it('have no text that the service does not have', () => {
    const service = [
      sourceOf('.').replace(/\$\{[^{}]*\}/g, '{}'),
      ...INVARIANTS.map(({ description }) => description),
    ].join('\n');
    const LIBRARY = 'timeout of {milliseconds}ms exceeded'; // of Terminus
    const unknown = german.SERVICE_TEXTS.map(([english]) => english).filter(
      (english) => english !== LIBRARY && !service.includes(english.replace(/\{\w+\}/g, '{}')),
    );
    expect(unknown).toEqual([]);
  });

  it('have the description of every strategy that the platform comes with', async () => {
    const { DESCRIPTIONS } = await loadConsoleModule<{ DESCRIPTIONS: Record<string, string> }>(
      'ui/german-strategies',
    );
    expect(Object.keys(DESCRIPTIONS)).toEqual(defaultStrategies().map(({ description }) => description));
  });

  it('have every message about the health of a component, and every detail', async () => {
    const read = (name: string) => readFileSync(join(SOURCES, 'modules', name), 'utf8');
    const indicators =
      read('operations/health/health.indicator.ts') + read('providers/chain/chain.client.ts');
    const messages = [
      ...literalsOf(indicators, /(?<=message(?: =|:) )(['`])([a-zA-Z][^'`]*)\1/g),
      ...literalsOf(indicators, /(?<=\[)(['`])([^\]'`]* [^'`]*)\1(?=\])/g),
      ...literalsOf(indicators, /(?<=new Error\([^)]*: )(')([^']*)\1/g),
    ];
    expect(messages.length).toBeGreaterThan(12);
    expect(missing(messages)).toEqual([]);
    const { COMPONENT } = await loadStatus();
    const { FIELDS } = await loadFields();
    expect(COMPONENTS.filter((name) => !(name in COMPONENT))).toEqual([]);
    expect(DETAILS.filter((name) => !(name in FIELDS))).toEqual([]);
  });

  it('have every reason for which a callback changes nothing', () => {
    const reasons = literalsOf(
      sourceOf('modules/funds'),
      /(?<=\b(?:ignored|failed|ignoredReport)\(\s*)(['`])([^'`]+)\1/g,
    );
    expect(reasons.length).toBeGreaterThan(15);
    expect(missing(reasons)).toEqual([]);
  });

  it('have every message of a refusal that says more than its code, unless no page shows it', async () => {
    const { GERMAN_SENTENCES } = await loadConsoleModule<{ GERMAN_SENTENCES: object }>('ui/german-sentences');
    const named = (text: string) => text.replace(/\{\w+\}/g, 'value');
    const german = new Set(Object.keys(GERMAN_SENTENCES).map(named));
    const source = refusingSources().replace(/['`] \+\s+['`]/g, '');
    const messages = literalsOf(source, /(?<=\bmessage(?::| =)\s*)(["'`])([A-Z](?:(?!\1).)*\.)\1/g);
    expect(messages.length).toBeGreaterThan(40);
    const others = messages.filter((text) => !german.has(text) && !NOT_SHOWN.has(text));
    expect(others).toEqual([]);
  });

  it('have every transfer that the treasury plans', () => {
    const texts = literalsOf(
      sourceOf('modules/backoffice/treasury'),
      /(['`])((?:Into|From) custody: [^'`]+)\1/g,
    );
    expect(texts).toHaveLength(4);
    expect(texts.filter((text) => german.transferText(text, String) === undefined)).toEqual([]);
  });

  it('have every missed target of the service levels, and say what an incident was', async () => {
    const { TARGET, impactText } = await loadStatus();
    const germanOf = (part: string) => german.serviceText(part, String) ?? part;
    const histogram = Array.from({ length: BOUNDS_MS.length + 1 }, () => 0);
    const at = new Date('2026-03-01T12:00:00Z');
    const measured: Measurements = {
      range: { from: at, to: at },
      minutes: 100,
      minutesUp: 90,
      requests: 10,
      failures: 5,
      histogram: histogram.with(-1, 10),
    };
    const levels = serviceLevelsOf(measured);
    expect(Object.keys(levels.meets).filter((name) => !(name in TARGET))).toEqual([]);
    const period = { from: at, to: at, levels };
    const { breaches } = toSlaStatusResponse(period);
    expect(breaches).toHaveLength(4);
    expect(missing(breaches)).toEqual([]);
    const incident: Incident = {
      from: at,
      minutes: 65,
      minutesDown: 65,
      requests: 9,
      failures: 5,
      isFailing: true,
      isSlow: true,
      hasEnded: true,
    };
    const [reported] = toSlaReportResponse({ ...period, incidents: [incident] }).incidents;
    expect(impactText(reported?.impact ?? '', germanOf)).toBe(
      'Der Dienst war 1 Std. 5 Min. 0 Sek. nicht erreichbar; 5 von 9 Anfragen sind fehlgeschlagen; Anfragen dauerten länger als 2000 ms.',
    );
  });

  it('have every action of admins, and every field that the audit log has before and after it', async () => {
    const { KINDS, VERBS } = await loadRecordNames();
    const { FIELDS } = await loadFields();
    const modules = sourceOf('modules');
    const actions = [...modules.matchAll(/action: '([\w-]+)\.([\w-]+)'/g)];
    expect(actions.length).toBeGreaterThan(25);
    expect(actions.filter(([, kind = '', verb = '']) => !(kind in KINDS && verb in VERBS))).toEqual([]);
    const changes = [...modules.matchAll(/\b(?:before|after): (\{[^{}]*\})/g)].map(
      ([, fields = '']) => fields,
    );
    const fields = changes.flatMap((change) => change.match(/(?<=[{,]\s*)\w+(?=\s*[:,}])/g) ?? []);
    expect(new Set(fields).size).toBeGreaterThan(50);
    expect(fields.filter((name) => !(name in FIELDS))).toEqual([]);
  });

  it('have every kind of posting, and every list that admins export', async () => {
    const { CODES, LISTS } = await loadRecordNames();
    const chart = readFileSync(join(SOURCES, 'modules/core/ledger/domain/chart-of-accounts.ts'), 'utf8');
    const [, types = ''] = /type PostingType =([^;]+);/.exec(chart) ?? [];
    const postings = [...types.matchAll(/'([\w-]+)'/g)].map(([, type = '']) => type);
    expect(postings.length).toBeGreaterThan(10);
    expect(postings.filter((type) => !(type in CODES))).toEqual([]);
    const lists = [...sourceOf('modules').matchAll(/\{ list: '([\w-]+)', (?:query|subject)/g)];
    expect(lists.length).toBeGreaterThan(4);
    expect(lists.map(([, list = '']) => list).filter((list) => !(list in LISTS))).toEqual([]);
  });
});

const loadFields = () => loadConsoleModuleIn<{ FIELDS: object }>('de', 'console/field-names');
const loadRecordNames = () => loadConsoleModuleIn<RecordNames>('de', 'console/record-names', ...RECORD_NAMES);

const loadStatus = () =>
  loadConsoleModuleIn<StatusTexts>('de', 'console/status/texts', 'console/record-names', ...RECORD_NAMES);

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ERROR_CATALOGUE } from '../../src/common/errors/error-catalogue.js';
import type { CatalogueEntry } from '../../src/common/errors/error-details.js';
import { ALERT_KINDS } from '../../src/modules/core/alerts/alerts.types.js';
import { CONSOLE_SOURCES, loadConsoleModule } from '../harness/console-modules.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ROUTE = /'((?:GET|POST|PUT|PATCH|DELETE) \/api\/[^']*)'/g;

type Refusal = { code: string; message: string; details?: unknown };
interface German {
  GENERAL: Record<string, string>;
  germanOf(refusal: Refusal, valueText: (value: unknown) => string): string | undefined;
}

const sourcesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!spec)\.tsx?$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'));

/** The codes that the OpenAPI document lists for the routes that the pages call. */
function codesOfPages(): string[] {
  const document = JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8'));
  const routes = sourcesOf(CONSOLE_SOURCES).flatMap((source) =>
    [...source.matchAll(ROUTE)].map(([, route]) => route),
  );
  const codes = new Set<string>();
  for (const route of new Set(routes)) {
    const [method, path] = (route as string).split(' ') as [string, string];
    const operation = document.paths[path]?.[method.toLowerCase()];
    if (!operation) throw new Error(`The OpenAPI document has no ${route}`);
    for (const response of Object.values<{ $ref?: string }>(operation.responses)) {
      const name = response.$ref?.split('/').pop();
      const text = JSON.stringify(name ? document.components.responses[name] : response);
      for (const [, schema] of text.matchAll(/#\/components\/schemas\/([A-Z0-9_]+)(?:-\d+)?"/g))
        if (schema && schema in ERROR_CATALOGUE) codes.add(schema);
    }
  }
  return [...codes];
}

describe('The German texts of the pages', () => {
  let texts: German;
  let errors: Record<string, string>;
  let sentences: Record<string, string>;

  beforeAll(async () => {
    texts = await loadConsoleModule('ui/german-texts', 'ui/german-errors', 'ui/german-sentences');
    errors = (await loadConsoleModule<{ GERMAN_ERRORS: typeof errors }>('ui/german-errors')).GERMAN_ERRORS;
    sentences = (await loadConsoleModule<{ GERMAN_SENTENCES: typeof sentences }>('ui/german-sentences'))
      .GERMAN_SENTENCES;
  });

  it('have a sentence for every error code of the routes that the pages call', () => {
    const codes = codesOfPages();
    expect(codes.length).toBeGreaterThan(60);
    expect(codes.filter((code) => !(code in errors))).toEqual([]);
    expect(Object.keys(errors).filter((code) => !(code in ERROR_CATALOGUE))).toEqual([]);
  });

  it('name only fields that the details of the code have', () => {
    const unknown = Object.entries(errors).flatMap(([code, text]) => {
      const entry: CatalogueEntry = ERROR_CATALOGUE[code as keyof typeof ERROR_CATALOGUE];
      const known = Object.keys(entry.details ?? {});
      return [...text.matchAll(/\{(\w+)\}/g)]
        .filter(([, name = '']) => !known.includes(name))
        .map(() => code);
    });
    expect(unknown).toEqual([]);
  });

  it('translate messages that the service has', () => {
    const service = sourcesOf(join(ROOT, 'src')).join('\n').replaceAll("' +\n      '", '');
    expect(Object.keys(sentences).filter((message) => !service.includes(message))).toEqual([]);
    for (const [code, message] of Object.entries(texts.GENERAL))
      expect([code, message]).toEqual([code, ERROR_CATALOGUE[code as keyof typeof ERROR_CATALOGUE].message]);
  });

  it.each([
    [
      { code: 'WITHDRAWAL_NOT_FOUND', message: 'There is no such withdrawal.' },
      'Diese Auszahlung gibt es nicht',
    ],
    [
      {
        code: 'INVALID_AMOUNT',
        message: 'The amount is not valid. See details.',
        details: { minimum: '10.00' },
      },
      'Der Betrag ist nicht gültig, mindestens <10.00>',
    ],
    [
      { code: 'FOUR_EYES_REQUIRED', message: 'Only the admin who made the request can withdraw it.' },
      'Zurückziehen kann den Antrag nur der Admin, der ihn gestellt hat',
    ],
    [
      { code: 'INVALID_STATE', message: 'Something special.' },
      'Das ist im jetzigen Stand nicht möglich: „Something special.“',
    ],
    [{ code: 'A_NEW_CODE', message: 'Something new.' }, undefined],
  ])('say of %j: %s', (refusal, expected) => {
    expect(texts.germanOf(refusal, (value) => `<${String(value)}>`)).toBe(expected);
  });

  it('translate the texts of records and of the status by patterns of texts that the service has', async () => {
    const { PHRASES, germanPhrase } = await loadConsoleModule<{
      PHRASES: [string, string][];
      germanPhrase: (text: string) => string;
    }>('console/service-phrases');
    const service = sourcesOf(join(ROOT, 'src')).join('\n');
    expect(PHRASES.filter(([english]) => !service.includes(english))).toEqual([]);
    expect(germanPhrase('Deposit of 50.00 USDC over TRC20')).toBe('Einzahlung von 50.00 USDC über TRC20');
    expect(germanPhrase('Asked by phone')).toBe('Asked by phone');
  });

  it('have a name, a sentence and a next step for every kind of alert', async () => {
    const { ALERTS } = await loadConsoleModule<{ ALERTS: Record<string, object> }>(
      'console/alerts/alert-texts',
    );
    expect(Object.keys(ALERTS).sort()).toEqual([...ALERT_KINDS].sort());
    for (const alert of Object.values(ALERTS)) expect(Object.keys(alert)).toEqual(['name', 'german']);
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ERROR_CATALOGUE } from '../../src/common/errors/error-catalogue.js';
import type { CatalogueEntry } from '../../src/common/errors/error-details.js';
import { failTooLong } from '../../src/http/request/date-range.js';
import { DATE_RULE } from '../../src/http/request/input.decorators.js';
import { ALERT_KINDS } from '../../src/modules/core/alerts/alerts.types.js';
import { CONSOLE_SOURCES, loadConsoleModule, loadConsoleModuleIn } from '../harness/console-modules.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ROUTE = /'((?:GET|POST|PUT|PATCH|DELETE) \/api\/[^']*)'/g;

type Refusal = { code: string; message: string; details?: unknown };
type Texts = Record<string, readonly [english: string, german: string]>;
type ValueText = (value: string) => string;
interface German {
  germanOf(refusal: Refusal, valueText: (value: unknown) => string): string | undefined;
  germanProblem(field: string, message: string, valueText: (value: unknown) => string): string | undefined;
}

const sourcesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!spec)\.tsx?$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'));

/** The sources of the service, with `{}` in place of values in texts. */
const serviceTexts = (): string =>
  sourcesOf(join(ROOT, 'src'))
    .join('\n')
    .replaceAll("' +\n      '", '')
    .replace(/\$\{[^{}]*\}/g, '{}');
const withoutNames = (text: string) => text.replace(/\{\w+\}/g, '{}');

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

const LOCKED_OWNER =
  'The account of the user is locked, so a thief may have requested this. Ask the user; then unlock the account, or reject the withdrawal.';

function messageOf(refuse: () => never): string {
  try {
    return refuse();
  } catch (error) {
    return (error as Error).message;
  }
}

const GERMAN = [
  'ui/german-errors',
  'ui/german-problems',
  'ui/german-sentences',
  'ui/german-strategies',
  'ui/phrases',
];

describe('The German texts of the pages', () => {
  let texts: German;
  let errors: Texts;
  let sentences: Record<string, string>;

  beforeAll(async () => {
    texts = await loadConsoleModule('ui/german-texts', ...GERMAN);
    errors = (await loadConsoleModule<{ GERMAN_ERRORS: typeof errors }>('ui/german-errors')).GERMAN_ERRORS;
    sentences = (await loadConsoleModule<{ GERMAN_SENTENCES: typeof sentences }>('ui/german-sentences'))
      .GERMAN_SENTENCES;
  });

  it('have a sentence for every error code of the routes that the pages call', () => {
    const codes = codesOfPages();
    expect(codes.length).toBeGreaterThan(60);
    expect(codes.filter((code) => !(code in errors))).toEqual([]);
  });

  it('translate the message that the catalogue has for each code, and quote any other message', () => {
    for (const [code, [message]] of Object.entries(errors)) {
      const entry = ERROR_CATALOGUE[code as keyof typeof ERROR_CATALOGUE] as CatalogueEntry | undefined;
      expect([code, message]).toEqual([code, entry?.message]);
      expect(texts.germanOf({ code, message }, String)).not.toContain('„');
      expect(texts.germanOf({ code, message: 'Something special.' }, String)).toMatch(
        /[^.]: „Something special\.“$/,
      );
    }
  });

  it('name only fields that the details of the code have', () => {
    const unknown = Object.entries(errors).flatMap(([code, [, text]]) => {
      const entry: CatalogueEntry = ERROR_CATALOGUE[code as keyof typeof ERROR_CATALOGUE];
      const known = Object.keys(entry.details ?? {});
      return [...text.matchAll(/\{(\w+)\}/g)]
        .filter(([, name = '']) => !known.includes(name))
        .map(() => code);
    });
    expect(unknown).toEqual([]);
  });

  it('translate messages that the service has', () => {
    const tooLong = ['days', 'intervals', 'movements in a PDF'].map((unit) =>
      messageOf(() => failTooLong(`{} ${unit}`)),
    );
    const service = [serviceTexts(), ...tooLong].join('\n');
    expect(Object.keys(sentences).filter((text) => !service.includes(withoutNames(text)))).toEqual([]);
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
    [
      { code: 'INVALID_DATE_RANGE', message: 'The start date must not be after the end date.' },
      'Der erste Tag darf nicht nach dem letzten liegen',
    ],
    [
      { code: 'INVALID_DATE_RANGE', message: messageOf(() => failTooLong('3660 days')) },
      'Höchstens <3660> Tage: Wählen Sie einen kürzeren Zeitraum',
    ],
    [
      { code: 'INVALID_DATE_RANGE', message: messageOf(() => failTooLong('7 records')) },
      'Dieser Zeitraum ist nicht möglich: „At most 7 records: choose a shorter range.“',
    ],
    [
      { code: 'ACCOUNT_LOCKED', message: LOCKED_OWNER },
      'Das Konto des Nutzers ist gesperrt, also hat das vielleicht ein Dieb beantragt. Fragen Sie den Nutzer; entsperren Sie dann das Konto, oder lehnen Sie die Auszahlung ab',
    ],
    [{ code: 'A_NEW_CODE', message: 'Something new.' }, undefined],
  ])('say of %j: %s', (refusal, expected) => {
    expect(texts.germanOf(refusal, (value) => `<${String(value)}>`)).toBe(expected);
  });

  it('translate the messages about single fields, and have no pattern without a message of the service', async () => {
    const { PROBLEMS } = await loadConsoleModule<{ PROBLEMS: [string, string][] }>(
      'ui/german-problems',
      'ui/phrases',
    );
    const assembled = [
      `must be ${DATE_RULE}`,
      'must be 1 to {} characters on one line, without control characters or spaces around them',
    ];
    const service = [serviceTexts(), ...assembled].join('\n');
    expect(
      PROBLEMS.filter(([text]) => ![text, withoutNames(text)].some((english) => service.includes(english))),
    ).toEqual([]);
    const german = (field: string, message: string) => texts.germanProblem(field, message, String);
    expect(german('name', 'must be 1 to 100 characters on one line, without control characters')).toBe(
      'Der Name muss aus 1 bis 100 Zeichen in einer Zeile bestehen',
    );
    expect(german('direction', 'must be one of in, out')).toBe('„direction“ muss eines davon sein: in, out');
    expect(german('amount', 'must be something new')).toBeUndefined();
  });

  it('translate the texts of records and of the status by patterns of texts that the service has', async () => {
    const { PHRASES, germanPhrase } = await loadConsoleModule<{
      PHRASES: [string, string][];
      germanPhrase: (text: string, valueText: ValueText) => string | undefined;
    }>('console/service-phrases', 'ui/phrases');
    const { formatValue } = await loadConsoleModuleIn<{ formatValue: ValueText }>('de', 'ui/format');
    const service = serviceTexts();
    expect(
      PHRASES.filter(([text]) => ![text, withoutNames(text)].some((english) => service.includes(english))),
    ).toEqual([]);
    expect(germanPhrase('Deposit of 50.00 USDC over TRC20', formatValue)).toBe(
      'Einzahlung von 50,00 USDC über TRC20',
    );
    expect(germanPhrase('Withdrawal of 1234.567 USDC', formatValue)).toBe('Auszahlung von 1.234,567 USDC');
    expect(germanPhrase('Growth of balanced-10 on 2026-03-01', formatValue)).toBe(
      'Ertrag aus balanced-10 am 01.03.2026',
    );
    expect(germanPhrase('Asked by phone', formatValue)).toBeUndefined();
    expect(germanPhrase('Deposit of last month, booked by hand', formatValue)).toBeUndefined();
  });

  it('leave descriptions alone that admins have written, whose transactions change no balance themselves', async () => {
    const { transactionText } = await loadConsoleModuleIn<{
      transactionText: (transaction: { description: string; balanceChange: string | null }) => string;
    }>(
      'de',
      'console/record-names',
      ...['console/service-phrases', 'console/service-texts'],
      ...['ui/loaded-german', 'ui/phrases', 'ui/transaction-types'],
    );
    const description = 'Withdrawal of 5.00 USDC';
    expect(transactionText({ description, balanceChange: '-5.00' })).toBe('Auszahlung von 5,00 USDC');
    expect(transactionText({ description, balanceChange: null })).toBe(description);
  });

  it('have a name, a sentence and a next step for every kind of alert', async () => {
    const { ALERTS } = await loadConsoleModule<{ ALERTS: Record<string, object> }>(
      'console/alerts/alert-texts',
    );
    expect(Object.keys(ALERTS).sort()).toEqual([...ALERT_KINDS].sort());
    for (const alert of Object.values(ALERTS)) expect(Object.keys(alert)).toEqual(['name', 'german']);
  });
});

describe('The English texts of the pages', () => {
  it('replace only messages of the catalogue, which tell programs what to send', async () => {
    const { textOf } = await loadConsoleModuleIn<{ textOf: (refusal: Refusal) => string }>(
      'en',
      'ui/error-texts',
      'ui/loaded-german',
    );
    const replaced = Object.entries(ERROR_CATALOGUE).filter(
      ([code, { message }]) => textOf({ code, message }) !== message,
    );
    expect(replaced.map(([code]) => code).sort()).toEqual([
      'ACCOUNT_LOCKED',
      'CSRF_INVALID',
      'STEP_UP_REQUIRED',
      'TOKEN_MISSING',
      'VALIDATION_ERROR',
    ]);
    expect(textOf({ code: 'ACCOUNT_LOCKED', message: LOCKED_OWNER })).toBe(LOCKED_OWNER);
  });
});

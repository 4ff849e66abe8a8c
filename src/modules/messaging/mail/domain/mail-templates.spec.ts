import { MAIL_DETAILS, MAIL_KINDS, type MailKind } from '../mail.types.js';
import { oneLine } from '../../../../common/message-texts.js';
import { maskedEmail, shortenAddresses } from './mail-details.js';
import { renderMail } from './mail-templates.js';

const HASH = `0x${'ab'.repeat(32)}`;
const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const EVM = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const PUBLIC_URL = 'https://app.example.com';
const ALL_DETAILS = Object.fromEntries(MAIL_DETAILS.map((detail) => [detail, `<${detail}>`]));

const rendered = (kind: MailKind, language: string, name: string | null = 'Ann') =>
  renderMail({ kind, details: ALL_DETAILS, language, name }, PUBLIC_URL);

describe('The template of a mail', () => {
  it.each(MAIL_KINDS.flatMap((kind) => [[kind, 'en'] as const, [kind, 'de'] as const]))(
    'of %s in %s shows the same details in text and HTML',
    (kind, language) => {
      const { subject, text, html } = rendered(kind, language);
      // A subject may contain the amount, and no other detail.
      expect(subject).toMatch(/^[^\r\n<]{10,}(<amount>[^\r\n<]*)?$/);
      for (const detail of MAIL_DETAILS) {
        expect(text).toMatch(new RegExp(`^[A-ZÄÖÜ][^:\\n]*: <${detail}>$`, 'm'));
        expect(html).toContain(`&lt;${detail}&gt;</td>`);
        expect(html).not.toContain(`<${detail}>`);
      }
      for (const body of [text, html]) expect(body).toContain(PUBLIC_URL);
      expect([text, html].join()).not.toContain('undefined');
    },
  );

  it('has other sentences in German than in English', () => {
    // Without the lines of details, whose labels differ anyway.
    const sentences = (language: string) =>
      MAIL_KINDS.map((kind) => rendered(kind, language).text.replace(/^[^:\n]*: <.*$/gm, ''));
    const german = sentences('de');
    const english = sentences('en');
    german.forEach((text, index) => expect(text).not.toBe(english[index]));
    expect(new Set([...german, ...english]).size).toBe(2 * MAIL_KINDS.length);
  });

  it.each([
    ['de', 'Guten Tag Ann,'],
    ['de-CH', 'Guten Tag Ann,'],
    ['en', 'Hello Ann,'],
    ['fr', 'Hello Ann,'],
    ['den', 'Hello Ann,'],
  ])('for the language %s begins with %s', (language, greeting) => {
    expect(rendered('withdrawal.failed', language).text.split('\n')[0]).toBe(greeting);
  });

  it.each([null, '', ' \r\n '])('greets a user whose name is %j without a name', (name) => {
    expect(rendered('withdrawal.failed', 'en', name).text).toMatch(/^Hello,\n/);
    expect(rendered('withdrawal.failed', 'de', name).text).toMatch(/^Guten Tag,\n/);
  });

  it('translates the status of an account', () => {
    const details = { status: 'suspended' };
    const textIn = (language: string) =>
      renderMail({ kind: 'security.status-changed', details, language, name: null }, PUBLIC_URL).text;
    expect(textIn('en')).toContain('Status: suspended\n');
    expect(textIn('de')).toContain('Status: gesperrt\n');
  });

  it.each([
    ['en', 'lock it. The link works once, for seven days:', 'Lock my account'],
    ['de', 'Der Link gilt sieben Tage und nur einmal:', 'Mein Konto sperren'],
  ])(
    'in %s has the link that locks the account, on a line of its own in text and behind a word in HTML',
    (language, sentence, word) => {
      const lockUrl = `${PUBLIC_URL}/lock#a-token`;
      const mail = { kind: 'address.added', details: {}, language, name: null, lockUrl } as const;
      const { text, html } = renderMail(mail, PUBLIC_URL);
      expect(text).toContain(`${sentence}\n${lockUrl}\n`);
      expect(html).toContain(`<a href="${lockUrl}">${word}</a>`);
      expect(rendered('address.added', language).text).not.toContain('/lock');
    },
  );

  it('says which mails can be switched off', () => {
    for (const kind of MAIL_KINDS)
      expect(rendered(kind, 'en').text).toContain(
        kind === 'deposit.completed' ? 'You can switch off' : 'cannot be switched off',
      );
  });
});

describe('The details of a mail', () => {
  it('contain shortened EVM and Tron addresses, and whole transaction hashes', () => {
    expect(shortenAddresses(`${EVM}, (${TRON}) and ${HASH} of ${EVM}.`)).toBe(
      `0xA0b8…eB48, (TR7NHq…Lj6t) and ${HASH} of 0xA0b8…eB48.`,
    );
  });

  it('are on one line without characters that change the direction of text', () => {
    expect(oneLine(' a\r\nb\u2028c\u0000 \u202Ed ')).toBe('a b c  d');
  });

  it.each([
    ['ann@example.org', 'a…n@example.org'],
    ['arthur@example.org', 'a…r@example.org'],
    ['a@example.org', 'a…@example.org'],
    ['"a@b"@example.org', '"…"@example.org'],
    ['😀b😀@example.org', '😀…😀@example.org'],
  ])('mask the e-mail address %s as %s', (email, masked) => expect(maskedEmail(email)).toBe(masked));
});

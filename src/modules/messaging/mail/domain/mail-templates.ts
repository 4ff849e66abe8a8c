import { escapeHtml } from '../../../../common/html.js';
import { languageOf, oneLine, type Language } from '../../../../common/message-texts.js';
import {
  isSecurityMail,
  MAIL_DETAILS,
  type LanguageTexts,
  type MailDetails,
  type MailKind,
} from '../mail.types.js';
import { ENGLISH } from './english-texts.js';
import { GERMAN } from './german-texts.js';

const TEXTS: Readonly<Record<Language, LanguageTexts>> = { en: ENGLISH, de: GERMAN };

export interface MailToRender {
  readonly kind: MailKind;
  readonly details: MailDetails;
  /** The number of events that the mail is about; null for one. */
  readonly repeats?: number | null;
  /** The details of the events after the first one; not more than a hundred. */
  readonly furtherDetails?: readonly MailDetails[];
  /** The language tag of the user's profile. */
  readonly language: string;
  /** The name in the user's profile, chosen by the user or the identity provider; null without one. */
  readonly name: string | null;
  /** Locks the account of the user; absent in mail to admins. */
  readonly lockUrl?: string | undefined;
}

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Renders a mail in the language of its user. The subject contains no text of a user. */
export function renderMail(mail: MailToRender, publicUrl: string): RenderedMail {
  const { kind, details, language, name, lockUrl, furtherDetails = [] } = mail;
  const tag = languageOf(language);
  const texts = TEXTS[tag];
  const count = mail.repeats ?? 1;
  const unlisted = count - 1 - furtherDetails.length;
  const { subject, message, advice } = texts.kinds[kind];
  const nameOnOneLine = oneLine(name ?? '');
  const parts: MailParts = {
    greeting: nameOnOneLine ? texts.greeting(nameOnOneLine) : texts.greetingWithoutName,
    message: count > 1 ? `${message} ${texts.several(count)}` : message,
    tables: [details, ...furtherDetails].map((each) => rowsOf(each, texts)),
    unlisted: unlisted > 0 ? [texts.unlisted(unlisted)] : [],
    advice: advice === undefined ? [] : [advice],
    lock: lockUrl === undefined ? undefined : { ...texts.lock, url: lockUrl },
    footer: isSecurityMail(kind) ? texts.footer.security : texts.footer.optional,
    publicUrl,
  };
  const title = count > 1 ? `${subject(details)} (+${count - 1})` : subject(details);
  return { subject: title, text: textOf(parts), html: htmlOf(parts, { title, tag }) };
}

type Rows = readonly (readonly [label: string, value: string])[];

interface MailParts {
  readonly greeting: string;
  readonly message: string;
  /** One table for each event. */
  readonly tables: readonly Rows[];
  readonly unlisted: readonly string[];
  readonly advice: readonly string[];
  readonly lock: { readonly message: string; readonly link: string; readonly url: string } | undefined;
  readonly footer: string;
  readonly publicUrl: string;
}

function rowsOf(details: MailDetails, texts: LanguageTexts): Rows {
  return MAIL_DETAILS.flatMap((detail) => {
    const text = details[detail];
    if (text === undefined) return [];
    const translated = detail === 'status' ? (texts.statuses[text] ?? text) : text;
    return [[texts.details[detail], translated] as const];
  });
}

function textOf({ greeting, message, tables, unlisted, advice, lock, footer, publicUrl }: MailParts): string {
  const texts = tables.map((rows) => rows.map(([label, value]) => `${label}: ${value}`).join('\n'));
  const lockText = lock ? [`${lock.message}\n${lock.url}`] : [];
  const parts = [greeting, message, ...texts, ...unlisted, ...advice, ...lockText];
  return `${[...parts, `-- \n${publicUrl}\n${footer}`].join('\n\n')}\n`;
}

function htmlOf(parts: MailParts, { title, tag }: { title: string; tag: string }): string {
  const { greeting, message, tables, unlisted, advice, lock, footer, publicUrl } = parts;
  const paragraphs = (texts: readonly string[]) =>
    texts.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n');
  const row = ([label, value]: Rows[number]) =>
    `<tr><th align="left">${escapeHtml(label)}</th><td>${escapeHtml(value)}</td></tr>`;
  const table = (rows: Rows) => `<table cellpadding="4">\n${rows.map(row).join('\n')}\n</table>`;
  const url = escapeHtml(publicUrl);
  const lockHtml = lock
    ? `<p>${escapeHtml(lock.message)}<br><a href="${escapeHtml(lock.url)}">${escapeHtml(lock.link)}</a></p>\n`
    : '';
  return `<!doctype html>
<html lang="${tag}">
<head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>
<body>
${paragraphs([greeting, message])}
${tables.map(table).join('\n')}
${paragraphs([...unlisted, ...advice])}
${lockHtml}<p><small><a href="${url}">${url}</a><br>${escapeHtml(footer)}</small></p>
</body>
</html>
`;
}

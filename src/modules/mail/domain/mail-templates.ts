import {
  isSecurityMail,
  MAIL_DETAILS,
  type LanguageTexts,
  type MailDetails,
  type MailKind,
} from '../mail.types.js';
import { oneLine } from './mail-details.js';
import { textsIn } from './mail-texts.js';

export interface MailToRender {
  readonly kind: MailKind;
  readonly details: MailDetails;
  /** For how many events it stands; null for one. */
  readonly repeats?: number | null;
  /** The details of the events after the first one; not more than a hundred. */
  readonly furtherDetails?: readonly MailDetails[];
  /** The language tag of the user's profile. */
  readonly language: string;
  /** The name in the user's profile, chosen by the user or the identity provider. */
  readonly name: string | null;
}

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Renders a mail in the language of its user. The subject contains no text of a user. */
export function renderMail(mail: MailToRender, publicUrl: string): RenderedMail {
  const { kind, details, language, name, furtherDetails = [] } = mail;
  const { tag, texts } = textsIn(language);
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

function textOf({ greeting, message, tables, unlisted, advice, footer, publicUrl }: MailParts): string {
  const texts = tables.map((rows) => rows.map(([label, value]) => `${label}: ${value}`).join('\n'));
  return `${[greeting, message, ...texts, ...unlisted, ...advice, `-- \n${publicUrl}\n${footer}`].join('\n\n')}\n`;
}

function htmlOf(parts: MailParts, { title, tag }: { title: string; tag: string }): string {
  const { greeting, message, tables, unlisted, advice, footer, publicUrl } = parts;
  const paragraphs = (texts: readonly string[]) => texts.map((text) => `<p>${escaped(text)}</p>`).join('\n');
  const row = ([label, value]: Rows[number]) =>
    `<tr><th align="left">${escaped(label)}</th><td>${escaped(value)}</td></tr>`;
  const table = (rows: Rows) => `<table cellpadding="4">\n${rows.map(row).join('\n')}\n</table>`;
  const url = escaped(publicUrl);
  return `<!doctype html>
<html lang="${tag}">
<head><meta charset="utf-8"><title>${escaped(title)}</title></head>
<body>
${paragraphs([greeting, message])}
${tables.map(table).join('\n')}
${paragraphs([...unlisted, ...advice])}
<p><small><a href="${url}">${url}</a><br>${escaped(footer)}</small></p>
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

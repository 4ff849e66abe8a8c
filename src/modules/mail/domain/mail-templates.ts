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
export function renderMail({ kind, details, language, name }: MailToRender, publicUrl: string): RenderedMail {
  const { tag, texts } = textsIn(language);
  const { subject, message, advice } = texts.kinds[kind];
  const nameOnOneLine = oneLine(name ?? '');
  const parts: MailParts = {
    greeting: nameOnOneLine ? texts.greeting(nameOnOneLine) : texts.greetingWithoutName,
    message,
    rows: rowsOf(details, texts),
    advice: advice === undefined ? [] : [advice],
    footer: isSecurityMail(kind) ? texts.footer.security : texts.footer.optional,
    publicUrl,
  };
  const title = subject(details);
  return { subject: title, text: textOf(parts), html: htmlOf(parts, { title, tag }) };
}

interface MailParts {
  readonly greeting: string;
  readonly message: string;
  readonly rows: readonly (readonly [label: string, value: string])[];
  readonly advice: readonly string[];
  readonly footer: string;
  readonly publicUrl: string;
}

function rowsOf(details: MailDetails, texts: LanguageTexts): MailParts['rows'] {
  return MAIL_DETAILS.flatMap((detail) => {
    const text = details[detail];
    if (text === undefined) return [];
    const translated = detail === 'status' ? (texts.statuses[text] ?? text) : text;
    return [[texts.details[detail], translated] as const];
  });
}

function textOf({ greeting, message, rows, advice, footer, publicUrl }: MailParts): string {
  const table = rows.map(([label, value]) => `${label}: ${value}`).join('\n');
  return `${[greeting, message, table, ...advice, `-- \n${publicUrl}\n${footer}`].join('\n\n')}\n`;
}

function htmlOf(parts: MailParts, { title, tag }: { title: string; tag: string }): string {
  const { greeting, message, rows, advice, footer, publicUrl } = parts;
  const paragraphs = (texts: readonly string[]) => texts.map((text) => `<p>${escaped(text)}</p>`).join('\n');
  const table = rows
    .map(([label, value]) => `<tr><th align="left">${escaped(label)}</th><td>${escaped(value)}</td></tr>`)
    .join('\n');
  const url = escaped(publicUrl);
  return `<!doctype html>
<html lang="${tag}">
<head><meta charset="utf-8"><title>${escaped(title)}</title></head>
<body>
${paragraphs([greeting, message])}
<table cellpadding="4">
${table}
</table>
${paragraphs(advice)}
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

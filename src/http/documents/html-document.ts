import { createHash } from 'node:crypto';
import { escapeHtml } from '../../common/html.js';
import { factsOf, type DocumentRow, type DocumentTable, type PrintedDocument } from './document.js';

// Writes a document as a page to print, without scripts.

const STYLE = `
:root { font: 0.9375rem/1.45 system-ui, sans-serif; color: #1a1a1a; background: #ffffff; }
body { margin: 0 auto; max-width: 62rem; padding: 2rem 1.25rem; }
header, h1, h2, dl, p { overflow-wrap: anywhere; }
header { margin-bottom: 2rem; }
header strong { font-size: 1.125rem; }
h1 { font-size: 1.5rem; margin: 0 0 1rem; }
h2 { font-size: 1.125rem; margin: 2rem 0 0.5rem; break-after: avoid; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.15rem 1rem; margin: 0; }
dt { color: #555555; }
dd { margin: 0; }
div.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.8125rem; }
th, td { padding: 0.3rem 0.5rem; border-bottom: 1px solid #d8d8d8; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
th { border-bottom: 1px solid #1a1a1a; vertical-align: bottom; }
th.amount, td.amount { text-align: right; white-space: nowrap; overflow-wrap: normal; font-variant-numeric: tabular-nums; }
th.amount { white-space: normal; }
tr { break-inside: avoid; }
tr.total td { font-weight: 600; }
td small { display: block; color: #555555; }
@page { size: A4; margin: 15mm; }
@media print { body { max-width: none; padding: 0; } :root { font-size: 10pt; } div.table { overflow: visible; } }
`;

/** The page loads nothing, and no other style or script runs in it, whatever its texts contain. */
export const HTML_DOCUMENT_POLICY = [
  `default-src 'none'`,
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join(';');

/** Rows are sent together up to about this many characters. */
const PIECE_LENGTH = 16_000;

export async function* writeHtmlDocument(document: PrintedDocument): AsyncGenerator<string, void> {
  yield headOf(document);
  for await (const { heading, text, table } of document.sections) {
    yield `<section>\n<h2>${escapeHtml(heading)}</h2>\n`;
    if (text !== undefined) yield `<p>${escapeHtml(text)}</p>\n`;
    if (table) yield* writeTable(table);
    yield '</section>\n';
  }
  yield '</main>\n</body>\n</html>\n';
}

function headOf(document: PrintedDocument): string {
  const { language, letterhead } = document;
  const title = escapeHtml(document.title);
  const lines = letterhead.lines.map((line) => `<br>${escapeHtml(line)}`).join('');
  const facts = factsOf(document).map(
    ([label, value]) => `<dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}</dd>`,
  );
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<header><strong>${escapeHtml(letterhead.name)}</strong>${lines}</header>
<main>
<h1>${title}</h1>
<dl>
${facts.join('\n')}
</dl>
`;
}

async function* writeTable({ columns, rows }: DocumentTable): AsyncGenerator<string, void> {
  const attributes = columns.map(({ isAmount }) => (isAmount ? ' class="amount"' : ''));
  const cell = (text: string, index: number) => `${attributes[index] ?? ''}>${escapeHtml(text)}`;
  const titles = columns.map(({ title }, index) => `<th scope="col"${cell(title, index)}</th>`).join('');
  let piece = `<div class="table"><table>\n<thead><tr>${titles}</tr></thead>\n<tbody>\n`;
  for await (const { cells, notes = [], isTotal } of rows) {
    const texts = cells.map(
      (text, index) => `<td${cell(text, index)}${index === 1 ? notesOf(notes) : ''}</td>`,
    );
    piece += `<tr${isTotal ? ' class="total"' : ''}>${texts.join('')}</tr>\n`;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}</tbody>\n</table></div>\n`;
}

function notesOf(notes: NonNullable<DocumentRow['notes']>): string {
  return notes.map((note) => `<small>${escapeHtml(note)}</small>`).join('');
}

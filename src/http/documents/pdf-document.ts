import { setImmediate as otherWork } from 'node:timers/promises';
import type { PrintedDocument } from './document.js';
import { MARGIN, PDF_FONTS, PdfPages } from './pdf-pages.js';

/** Laying out a row takes about a millisecond; other requests are served after this number of rows. */
const ROWS_AT_ONCE = 10;

/**
 * Writes a document as tagged PDF. Each page is written when the next one begins, so that memory does not grow with the text; the pages
 * therefore have numbers, but not their total.
 */
export async function* writePdfDocument(document: PrintedDocument): AsyncGenerator<Buffer, void> {
  const { default: PdfDocument } = await import('pdfkit'); // most processes never need it
  const pdf = new PdfDocument({
    size: 'A4',
    margin: MARGIN,
    autoFirstPage: false,
    font: PDF_FONTS.regular,
    pdfVersion: '1.7',
    tagged: true,
    lang: document.language,
    displayTitle: true,
    info: { Title: document.title, CreationDate: document.writtenAt },
  });
  const pages = new PdfPages(pdf, document);
  pages.writeHead();
  for await (const { heading, text, table } of document.sections) {
    pages.startSection(heading, text);
    if (!table) continue;
    pages.startTable(table.columns);
    let rows = 0;
    for await (const row of table.rows) {
      pages.writeRow(row);
      if (++rows % ROWS_AT_ONCE > 0) continue;
      yield* writtenBytes(pdf);
      await otherWork();
    }
    pages.endTable();
  }
  pages.end();
  yield* writtenBytes(pdf);
}

/** The bytes that the document has written since the last call. */
function* writtenBytes(pdf: PDFKit.PDFDocument): Generator<Buffer, void> {
  const bytes = pdf.read() as Buffer | null;
  if (bytes) yield bytes;
}

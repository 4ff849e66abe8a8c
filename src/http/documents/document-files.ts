import type { RawResponse } from '../response/enveloped-response.js';
import { streamResponse } from '../response/streaming.js';
import type { PrintedDocument } from './document.js';
import { HTML_DOCUMENT_POLICY, writeHtmlDocument } from './html-document.js';
import { writePdfDocument } from './pdf-document.js';

export const PRINTED_FORMATS = ['html', 'pdf'] as const;
export type PrintedFormat = (typeof PRINTED_FORMATS)[number];

export function isPrintedFormat(format: string): format is PrintedFormat {
  return (PRINTED_FORMATS as readonly string[]).includes(format);
}

export function writeDocument(
  document: PrintedDocument,
  format: PrintedFormat,
): AsyncGenerator<string | Buffer, void> {
  return format === 'html' ? writeHtmlDocument(document) : writePdfDocument(document);
}

/** The response that sends the pieces of a document. `name`: of the file, without its extension. */
export function toDocumentFile(
  pieces: AsyncGenerator<string | Buffer, void>,
  format: PrintedFormat,
  name: string,
): Promise<RawResponse> {
  const fileName = `${name}.${format}`;
  return format === 'html'
    ? streamResponse(pieces, {
        type: 'text/html; charset=utf-8',
        fileName,
        headers: { 'Content-Security-Policy': HTML_DOCUMENT_POLICY },
      })
    : streamResponse(pieces, { type: 'application/pdf', fileName });
}

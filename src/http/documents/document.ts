import { oneLine, timeText, type Language, type Phrase } from '../../common/message-texts.js';
import type { AppConfig } from '../../config/app-config.js';

/** A document to read or print, which is written as a page (`html-document.ts`) or PDF (`pdf-document.ts`). All texts are plain. */
export interface PrintedDocument {
  readonly language: Language;
  readonly title: string;
  readonly letterhead: Letterhead;
  /** What the document is about, such as its account and period. */
  readonly facts: readonly DocumentFact[];
  readonly writtenAt: Date;
  /** Written one after the other; the rows of each are read before the next section is. */
  readonly sections: Iterable<DocumentSection> | AsyncIterable<DocumentSection>;
}

export interface Letterhead {
  readonly name: string;
  readonly lines: readonly string[];
}

export type DocumentFact = readonly [label: string, value: string];

export interface DocumentSection {
  readonly heading: string;
  readonly text?: string;
  readonly table?: DocumentTable;
}

export interface DocumentTable {
  readonly columns: readonly DocumentColumn[];
  readonly rows: Iterable<DocumentRow> | AsyncIterable<DocumentRow>;
}

export interface DocumentColumn {
  readonly title: string;
  /** In proportion to the other columns. */
  readonly width: number;
  /** Amounts, which are aligned to the right. */
  readonly isAmount?: boolean;
}

export interface DocumentRow {
  /** One for each column. */
  readonly cells: readonly string[];
  /** Lines below the text of the second cell; in PDF they take the width of the cells to its right, too. */
  readonly notes?: readonly string[];
  readonly isTotal?: boolean;
}

const WRITTEN: Phrase = { en: 'Written', de: 'Erstellt' };

export function letterheadOf({
  PLATFORM_NAME: name,
  PLATFORM_ADDRESS: address,
  PUBLIC_URL: url,
}: Pick<AppConfig, 'PLATFORM_NAME' | 'PLATFORM_ADDRESS' | 'PUBLIC_URL'>): Letterhead {
  return { name, lines: [...address, url] };
}

/** The facts and the time at which the document was written. */
export function factsOf({ facts, language, writtenAt }: PrintedDocument): DocumentFact[] {
  return [...facts, [WRITTEN[language], timeText(writtenAt)] as const].map(
    ([label, value]) => [label, oneLine(value)] as const,
  );
}

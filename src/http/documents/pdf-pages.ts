import { createRequire } from 'node:module';
import { oneLine, type Phrase } from '../../common/message-texts.js';
import { factsOf, type DocumentColumn, type DocumentRow, type PrintedDocument } from './document.js';

const require = createRequire(import.meta.url);

/** Has Latin, Greek and Cyrillic letters and the signs of currencies; all digits have one width. */
export const PDF_FONTS = {
  regular: require.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf'),
  bold: require.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf'),
};

// Lengths are in points.
export const MARGIN = 42;
const CELL_PADDING = 3;
const GAP = 12;
/** A section or a table begins on the next page if less space is left. */
const LEAST_SPACE_TO_BEGIN = 50;
const FOOTER_DISTANCE = 26;

interface TextStyle {
  readonly size: number;
  readonly isBold?: boolean;
  readonly color?: string;
}

const GREY = '#555555';
const BLACK = '#1a1a1a';
const LINE = '#cccccc';
const STYLES = {
  issuer: { size: 10.5, isBold: true },
  title: { size: 15, isBold: true },
  heading: { size: 10.5, isBold: true },
  text: { size: 8.5 },
  cell: { size: 7.2 },
  strong: { size: 7.2, isBold: true },
  small: { size: 6.2, color: GREY },
} satisfies Record<string, TextStyle>;

const PAGE: Phrase = { en: 'Page', de: 'Seite' };
const COLUMN_TITLE: PDFKit.Mixins.StructureElementOptions & { scope: string } = { scope: 'Column' };

interface PlacedColumn extends DocumentColumn {
  readonly x: number;
  /** Without the padding. */
  readonly textWidth: number;
}

/** A font of pdfkit, with the layouts of the words drawn in it. */
interface PdfFont {
  layoutCache: Record<string, unknown>;
}

type Element = PDFKit.PDFStructureElement;

/** Lays out the pages of a document from top to bottom, and marks the text for screen readers. */
export class PdfPages {
  private readonly root: Element;
  private section: Element | undefined;
  private table: { readonly element: Element; readonly columns: readonly PlacedColumn[] } | undefined;
  private pageNumber = 0;
  /** Where the next text begins. */
  private y = 0;

  constructor(
    private readonly pdf: PDFKit.PDFDocument,
    private readonly document: PrintedDocument,
  ) {
    this.root = pdf.struct('Document');
    pdf.addStructure(this.root);
  }

  /** The letterhead, the title and the facts. */
  writeHead(): void {
    const { letterhead, title } = this.document;
    this.startPage();
    this.writeText('P', letterhead.name, STYLES.issuer);
    for (const line of letterhead.lines) this.writeText('P', line, STYLES.text);
    this.y += GAP;
    this.writeText('H1', title, STYLES.title);
    this.y += GAP / 3;
    for (const [label, value] of factsOf(this.document))
      this.writeText('P', `${label}: ${value}`, STYLES.text);
  }

  startSection(heading: string, text?: string): void {
    this.section?.end();
    this.section = this.pdf.struct('Sect');
    this.root.add(this.section);
    this.y += GAP;
    this.requireSpace(LEAST_SPACE_TO_BEGIN);
    this.writeText('H2', heading, STYLES.heading, this.section);
    if (text !== undefined) this.writeText('P', text, STYLES.text, this.section);
    this.y += CELL_PADDING;
  }

  startTable(columns: readonly DocumentColumn[]): void {
    const total = columns.reduce((sum, { width }) => sum + width, 0);
    let x = MARGIN;
    const placed = columns.map((column) => {
      const width = (column.width / total) * this.width;
      x += width;
      return { ...column, x: x - width + CELL_PADDING, textWidth: width - 2 * CELL_PADDING };
    });
    this.table = { element: this.pdf.struct('Table'), columns: placed };
    this.section?.add(this.table.element);
    this.requireSpace(LEAST_SPACE_TO_BEGIN);
    const row = this.startRow();
    this.writeTitles((text, draw) => this.addElement(row, 'TH', text, draw, COLUMN_TITLE));
    row.end();
    this.drawRule(BLACK);
  }

  writeRow({ cells, notes = [], isTotal }: DocumentRow): void {
    const { columns } = this.openTable;
    const style = isTotal ? STYLES.strong : STYLES.cell;
    const texts = columns.map((column, index) => ({ column, text: oneLine(cells[index] ?? '') }));
    // Notes stand below the second cell and take the width of the cells to its right, too.
    const notesColumn = columns[1] ?? (columns[0] as PlacedColumn);
    const notesWidth = MARGIN + this.width - CELL_PADDING - notesColumn.x;
    const lines = notes.map((note) => {
      const text = oneLine(note);
      return { text, height: this.heightOf(text, notesWidth, STYLES.small) };
    });
    const cellsHeight = Math.max(
      ...texts.map(({ column, text }) => this.heightOf(text, column.textWidth, style)),
    );
    const height = cellsHeight + lines.reduce((sum, line) => sum + line.height, 0) + 2 * CELL_PADDING;
    if (this.requireSpace(height)) this.repeatTitles();
    const top = this.y + CELL_PADDING;
    const row = this.startRow();
    for (const { column, text } of texts) {
      const content = column === notesColumn ? [text, ...notes].join('') : text;
      this.addElement(row, 'TD', content, () => {
        this.drawInColumn(column, text, top, style);
        if (column !== notesColumn) return;
        let y = top + cellsHeight;
        for (const line of lines) {
          this.draw(line.text, { x: column.x, y, width: notesWidth }, STYLES.small);
          y += line.height;
        }
      });
    }
    row.end();
    this.y += height;
    this.drawRule(LINE);
  }

  endTable(): void {
    this.table?.element.end();
    this.table = undefined;
  }

  end(): void {
    this.section?.end();
    this.root.end();
    this.pdf.end();
  }

  private get width(): number {
    return this.pdf.page.width - 2 * MARGIN;
  }

  private get openTable() {
    if (!this.table) throw new Error('no table was started');
    return this.table;
  }

  private startPage(): void {
    this.pdf.addPage();
    this.forgetWords();
    this.pageNumber++;
    const footer = `${this.document.title} · ${PAGE[this.document.language]} ${this.pageNumber}`;
    this.artifact('Pagination', () =>
      this.draw(footer, { x: MARGIN, y: this.pdf.page.height - FOOTER_DISTANCE }, STYLES.small),
    );
    this.y = MARGIN;
  }

  /** Bounds the memory: the library keeps the layout of every word that it has drawn, and most amounts and hashes appear on one page only. */
  private forgetWords(): void {
    const { _fontFamilies: fonts } = this.pdf as unknown as { _fontFamilies: Record<string, PdfFont> };
    for (const font of Object.values(fonts)) font.layoutCache = Object.create(null) as PdfFont['layoutCache'];
  }

  /** Starts a page if less than `height` is left. Returns whether it has. */
  private requireSpace(height: number): boolean {
    const isFull = this.y + height > this.pdf.page.height - MARGIN;
    if (isFull) this.startPage();
    return isFull;
  }

  /** A paragraph over the whole width. */
  private writeText(tag: string, text: string, style: TextStyle, parent = this.root): void {
    const shown = oneLine(text);
    const height = this.heightOf(shown, this.width, style);
    this.requireSpace(height);
    const { y } = this;
    this.addElement(parent, tag, shown, () => this.draw(shown, { x: MARGIN, y, width: this.width }, style));
    this.y += height + 1;
  }

  private startRow(): Element {
    const row = this.pdf.struct('TR');
    this.openTable.element.add(row);
    return row;
  }

  /** Writes the titles of the columns at the bottom of their cells. `write` calls `draw`, and marks what it has drawn. */
  private writeTitles(write: (text: string, draw: () => void) => void): void {
    const { columns } = this.openTable;
    const heights = columns.map(({ title, textWidth }) => this.heightOf(title, textWidth, STYLES.strong));
    const top = this.y + CELL_PADDING;
    const height = Math.max(...heights);
    for (const [index, column] of columns.entries())
      write(column.title, () =>
        this.drawInColumn(column, column.title, top + height - (heights[index] as number), STYLES.strong),
      );
    this.y = top + height + CELL_PADDING;
  }

  private repeatTitles(): void {
    this.artifact('Pagination', () => this.writeTitles((_text, draw) => draw()));
    this.drawRule(BLACK);
  }

  private drawInColumn(
    { x, textWidth, isAmount }: PlacedColumn,
    text: string,
    y: number,
    style: TextStyle,
  ): void {
    this.draw(text, { x, y, width: textWidth, align: isAmount ? 'right' : 'left' }, style);
  }

  /** Without a width the text stays on one line. */
  private draw(
    text: string,
    { x, y, width, align = 'left' }: { x: number; y: number; width?: number; align?: 'left' | 'right' },
    style: TextStyle,
  ): void {
    this.apply(style).text(text, x, y, width === undefined ? { lineBreak: false } : { width, align });
  }

  private heightOf(text: string, width: number, style: TextStyle): number {
    const pdf = this.apply(style);
    // Most texts fit, and measuring them is faster than laying them out in lines.
    return pdf.widthOfString(text) <= width
      ? pdf.currentLineHeight(true)
      : pdf.heightOfString(text, { width });
  }

  private apply({ size, isBold, color = BLACK }: TextStyle): PDFKit.PDFDocument {
    return this.pdf
      .font(isBold ? PDF_FONTS.bold : PDF_FONTS.regular)
      .fontSize(size)
      .fillColor(color);
  }

  /** An element without text gets no content: `draw` is not called. */
  private addElement(
    parent: Element,
    tag: string,
    text: string,
    draw: () => void,
    options: PDFKit.Mixins.StructureElementOptions = {},
  ): void {
    parent.add(this.pdf.struct(tag, options, text === '' ? [] : draw));
  }

  private drawRule(color: string): void {
    const y = this.y;
    this.artifact('Layout', () =>
      this.pdf
        .moveTo(MARGIN, y)
        .lineTo(MARGIN + this.width, y)
        .lineWidth(0.5)
        .stroke(color),
    );
  }

  /** Marks the drawing as decoration, which screen readers leave out. */
  private artifact(type: 'Layout' | 'Pagination', draw: () => void): void {
    this.pdf.markContent('Artifact', { type });
    draw();
    this.pdf.endMarkedContent();
  }
}

import { Button } from '@mantine/core';
import { inLanguage } from '../ui/language.ts';
import styles from './app.module.css';

const T = inLanguage({
  newer: ['Newer', 'Neuere'],
  older: ['Older', 'Ältere'],
  page: [
    (page: number, pages: number) => `Page ${page} of ${pages}`,
    (page: number, pages: number) => `Seite ${page} von ${pages}`,
  ],
});

interface Pagination {
  /** Null for a page that a cursor addresses, which this page does not request. */
  page: number | null;
  totalPages: number;
  hasNext: boolean;
  hasPrevious: boolean;
}

/** The pages of a list; nothing if there is one page only. */
export function Pager({ pagination, onPage }: { pagination: Pagination; onPage: (page: number) => void }) {
  const { totalPages, hasNext, hasPrevious } = pagination;
  const page = pagination.page ?? 1;
  if (!hasNext && !hasPrevious) return null;
  return (
    <div className={styles.pager}>
      <Button variant="default" size="compact-sm" disabled={!hasPrevious} onClick={() => onPage(page - 1)}>
        {T.newer}
      </Button>
      <span className={styles.hint}>{T.page(page, totalPages)}</span>
      <Button variant="default" size="compact-sm" disabled={!hasNext} onClick={() => onPage(page + 1)}>
        {T.older}
      </Button>
    </div>
  );
}

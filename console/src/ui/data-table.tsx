import { Button, Checkbox, Group, Text } from '@mantine/core';
import '@mantine/core/styles/Checkbox.css';
import '@mantine/core/styles/InlineInput.css';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { Failure } from './failure.tsx';
import { formatCount } from './format.ts';
import { inLanguage } from './language.ts';
import './data-table.css';

const T = inLanguage({
  loading: ['Loading …', 'Wird geladen …'],
  select: ['Select', 'Auswählen'],
  selectAll: ['Select all rows of this page', 'Alle Zeilen dieser Seite auswählen'],
  previous: ['Previous page', 'Vorige Seite'],
  next: ['Next page', 'Nächste Seite'],
  pages: ['Pages', 'Seiten'],
  page: [
    (page: number, pages: number, total: string) => `Page ${page} of ${pages} · rows: ${total}`,
    (page: number, pages: number, total: string) => `Seite ${page} von ${pages} · Zeilen: ${total}`,
  ],
});

export interface Column<Row> {
  key: string;
  header: string;
  align?: 'right';
  /** The value of `sort` that this column stands for; without it the column cannot be sorted. */
  sort?: string;
  /** Not shown on narrow screens. */
  isSecondary?: boolean;
  cell: (row: Row) => ReactNode;
}

export interface Selection {
  ids: ReadonlySet<string>;
  onChange: (ids: ReadonlySet<string>) => void;
}

interface DataTableProps<Row> {
  caption: string;
  rows: readonly Row[] | undefined;
  columns: readonly Column<Row>[];
  idOf: (row: Row) => string;
  /** What a screen reader calls the row at its checkbox; the id without it. */
  nameOf?: (row: Row) => string;
  /** Where the row leads: the first cell is the link. */
  hrefOf?: (row: Row) => string;
  /** What to read when there are no rows. */
  empty: ReactNode;
  error?: unknown;
  retry?: () => void;
  sort?: { by: string; order: string; onChange: (by: string, order: string) => void };
  selection?: Selection;
  pagination?: { page: number; pages: number; total: number; onPage: (page: number) => void };
}

/**
 * A list with rows that are links, and with empty, loading and error states. `Shortcuts` moves between the rows. Its roles are
 * explicit, because narrow screens show rows as blocks, which would end those of the elements.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { caption, rows, columns, idOf, empty, error, retry, pagination } = props;
  if (error) return <Failure error={error} {...(retry ? { retry } : {})} />;
  if (!rows) return <Text p="md">{T.loading}</Text>;
  if (rows.length === 0) return <div className="empty">{empty}</div>;
  return (
    <>
      <div className="table-frame">
        <table className="table list-table" role="table">
          <caption className="visually-hidden">{caption}</caption>
          <thead role="rowgroup">
            <tr role="row">
              {props.selection && (
                <th scope="col" role="columnheader">
                  <SelectAll ids={rows.map(idOf)} selection={props.selection} />
                </th>
              )}
              {columns.map((column) => (
                <Header key={column.key} column={column} sort={props.sort} />
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map((row) => (
              <TableRow key={idOf(row)} row={row} {...props} />
            ))}
          </tbody>
        </table>
      </div>
      {pagination && <Pages {...pagination} />}
    </>
  );
}

function TableRow<Row>({
  row,
  columns,
  idOf,
  nameOf = idOf,
  hrefOf,
  selection,
}: DataTableProps<Row> & { row: Row }) {
  const id = idOf(row);
  const { search } = useLocation(); // the way back has the same filters
  const toggle = () => {
    const ids = new Set(selection?.ids);
    if (!ids.delete(id)) ids.add(id);
    selection?.onChange(ids);
  };
  return (
    <tr data-row={id} role="row">
      {selection && (
        <td role="cell">
          <Checkbox
            size="xs"
            aria-label={`${T.select}: ${nameOf(row)}`}
            checked={selection.ids.has(id)}
            onChange={toggle}
          />
        </td>
      )}
      {columns.map(({ key, align, isSecondary, cell }, index) => (
        <td key={key} role="cell" data-label={columns[index]?.header} className={classOf(align, isSecondary)}>
          {index === 0 && hrefOf ? (
            <Link className="row-link" to={hrefOf(row)} state={{ from: search }}>
              {cell(row)}
            </Link>
          ) : (
            cell(row)
          )}
        </td>
      ))}
    </tr>
  );
}

const classOf = (align?: string, isSecondary?: boolean, further?: string) =>
  [align, isSecondary && 'secondary', further].filter(Boolean).join(' ') || undefined;

function Header<Row>({ column, sort }: { column: Column<Row>; sort: DataTableProps<Row>['sort'] }) {
  const { header, align, isSecondary } = column;
  if (!sort || !column.sort)
    return (
      <th scope="col" role="columnheader" className={classOf(align, isSecondary, 'unsorted')}>
        {header}
      </th>
    );
  const isSorted = sort.by === column.sort;
  const direction = sort.order === 'asc' ? 'ascending' : 'descending';
  return (
    <th
      scope="col"
      role="columnheader"
      className={classOf(align, isSecondary)}
      {...(isSorted ? { 'aria-sort': direction as 'ascending' } : {})}
    >
      <button
        type="button"
        className="sort"
        onClick={() =>
          sort.onChange(column.sort as string, isSorted && sort.order === 'asc' ? 'desc' : 'asc')
        }
      >
        {header}
        {'\u00a0'}
        <span aria-hidden>{isSorted ? (sort.order === 'asc' ? '▲' : '▼') : '↕'}</span>
      </button>
    </th>
  );
}

function SelectAll({ ids, selection }: { ids: string[]; selection: Selection }) {
  const count = ids.filter((id) => selection.ids.has(id)).length;
  return (
    <Checkbox
      size="xs"
      aria-label={T.selectAll}
      checked={count > 0 && count === ids.length}
      indeterminate={count > 0 && count < ids.length}
      onChange={() => selection.onChange(new Set(count === ids.length ? [] : ids))}
    />
  );
}

interface MorePagesProps {
  pagination: { page: number | null; totalPages: number; total: number } | undefined;
  onPage: (page: number) => void;
}

/** The pages of a list of cards, if there is more than one. */
export function MorePages({ pagination, onPage }: MorePagesProps) {
  if (!pagination || pagination.totalPages < 2) return null;
  const { page, totalPages, total } = pagination;
  return <Pages page={page ?? 1} pages={totalPages} total={total} onPage={onPage} />;
}

export function Pages({ page, pages, total, onPage }: NonNullable<DataTableProps<unknown>['pagination']>) {
  return (
    <Group justify="space-between" mt="sm" component="nav" aria-label={T.pages} className="pages">
      <Text size="sm" c="dimmed">
        {T.page(page, Math.max(1, pages), formatCount(total))}
      </Text>
      {pages > 1 && (
        <Group gap="xs">
          <Button size="xs" variant="default" disabled={page <= 1} onClick={() => onPage(page - 1)}>
            {T.previous}
          </Button>
          <Button size="xs" variant="default" disabled={page >= pages} onClick={() => onPage(page + 1)}>
            {T.next}
          </Button>
        </Group>
      )}
    </Group>
  );
}

import { Group } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { REFRESH_MS } from '../api/queries.ts';
import { DataTable, type Column } from './data-table.tsx';
import { ExportButton } from './export-button.tsx';
import { FilterField } from './filter-field.tsx';
import { Shortcuts } from './list-keys.tsx';
import { PageHead } from './page-head.tsx';
import { pageOf, paginationOf } from './pages.ts';
import { SavedViews } from './saved-views.tsx';
import { Tabs } from './tabs.tsx';
import { useUrlState } from './url-state.ts';

const PAGE_ROWS = 50;

/** The values in the address, by their names. */
export type ListUrl<Name extends string> = Readonly<Record<Name, string>>;

export interface Filter<Name extends string> {
  name: Name;
  label: string;
  /** The choices with their titles; without them the filter is a text. */
  choices?: Readonly<Record<string, string>>;
  type?: 'date';
  placeholder?: string;
}

/** A page as most lists answer it. */
export interface ListAnswer<Row> {
  data: readonly Row[];
  pagination: { page: number | null; totalPages: number; total: number };
}

interface ListPageProps<Row, Given extends ListAnswer<Row>, Name extends string> {
  /** The first element of the query keys, by which live events invalidate them, and the name of the saved views. */
  list: string;
  title: string;
  /** The values of the names that the address does not contain. */
  defaults: ListUrl<Name>;
  /** A filter whose choices are tabs. */
  tabs?: {
    name: Name;
    titles: Readonly<Record<string, string>>;
    counts?: Readonly<Record<string, number | undefined>>;
  };
  filters?: readonly Filter<Name>[];
  columns: (url: ListUrl<Name>) => readonly Column<Row>[];
  hrefOf?: (row: Row) => string;
  empty: string;
  read: (url: ListUrl<Name>, page: { page: number; limit: number }, signal: AbortSignal) => Promise<Given>;
  /** Reads all rows of the filter as CSV. */
  exportAs?: { file: string; read: (url: ListUrl<Name>) => Promise<string> };
  /** Figures of the list. */
  head?: (answer: Given) => ReactNode;
  /** Buttons above the list. */
  tools?: ReactNode;
  /** What the screen shows above its list. */
  before?: ReactNode;
}

/** A list with its tabs, filters, order and page in the address. With the names `sort` and `order` its columns can be sorted. */
export function ListPage<Row extends { id: string }, Given extends ListAnswer<Row>, Name extends string>(
  props: ListPageProps<Row, Given, Name>,
) {
  const { list, title, defaults, tabs, filters = [], exportAs, read, tools } = props;
  const [values, change, addressAfter] = useUrlState<Record<string, string>>({ ...defaults, page: '1' });
  const url = values as ListUrl<Name>;
  const page = { page: pageOf(values.page ?? ''), limit: PAGE_ROWS };
  const { data, error, refetch } = useQuery({
    queryKey: [list, 'list', values],
    queryFn: ({ signal }) => read(url, page, signal),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
  const sort = {
    ...{ by: values.sort ?? '', order: values.order ?? '' },
    onChange: (by: string, order: string) => change({ sort: by, order }),
  };
  return (
    <>
      <PageHead title={title}>{data && props.head?.(data)}</PageHead>
      {props.before && <div className="gap-below">{props.before}</div>}
      {tabs && (
        <Tabs
          label={title}
          tabs={Object.entries(tabs.titles).map(([id, name]) => ({
            id,
            title: name,
            count: tabs.counts?.[id],
          }))}
          selected={url[tabs.name]}
          hrefOf={(id) => addressAfter({ [tabs.name]: id, sort: '', order: '' })}
        />
      )}
      <Group my="sm" align="end">
        {filters.map((filter, index) => (
          <FilterField
            key={filter.name}
            {...filter}
            isFirst={index === 0}
            value={url[filter.name]}
            onChange={(value) => change({ [filter.name]: value })}
          />
        ))}
        {exportAs && <ExportButton file={exportAs.file} read={() => exportAs.read(url)} />}
        <SavedViews list={list} />
        {tools}
      </Group>
      <DataTable<Row>
        caption={title}
        rows={data?.data}
        columns={props.columns(url)}
        idOf={({ id }) => id}
        {...(props.hrefOf ? { hrefOf: props.hrefOf } : {})}
        empty={props.empty}
        error={data ? undefined : error}
        retry={() => void refetch()}
        {...('sort' in defaults ? { sort } : {})}
        {...paginationOf(data?.pagination, change)}
      />
      <Shortcuts isList />
    </>
  );
}

/** The choice that the address names, or the first one: an address can be typed. */
export function choiceOf<Choice extends string>(
  choices: Readonly<Record<Choice, string>>,
  text: string,
): Choice {
  return (Object.hasOwn(choices, text) ? text : Object.keys(choices)[0]) as Choice;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
export const isId = (text: string): boolean => UUID.test(text.trim());

/** The order that the address names, as the lists take it. */
export const orderOf = (text: string): 'asc' | 'desc' => (text === 'asc' ? 'asc' : 'desc');

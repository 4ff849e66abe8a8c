import { Alert, Anchor, Badge, Button, Loader, Text, Title } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { Link } from 'react-router';
import { CopyButton } from '../ui/copy-button.tsx';
import { inLanguage } from '../ui/language.ts';
import { Money as Amount, Shortened } from '../ui/values.tsx';
import styles from './app.module.css';
import { describeError, type Repetition } from './errors.ts';

const T = inLanguage({
  again: ['Try again', 'Noch einmal versuchen'],
  loading: ['Loading…', 'Wird geladen …'],
});

/** An amount with its currency; all decimals show on hover. */
export const Money = ({ amount, currency = 'USDC' }: { amount: string; currency?: string }) => (
  <Amount amount={amount} currency={currency} />
);

/** The beginning and the end of an address or a hash, with a button that copies it whole. */
export function ShortAddress({ value, label }: { value: string; label: string }) {
  return (
    <span className={styles.short}>
      <Shortened value={value} /> <CopyButton value={value} label={label} />
    </span>
  );
}

const COLOURS: Record<string, string> = {
  completed: 'green',
  active: 'green',
  delivered: 'green',
  failed: 'red',
  rejected: 'red',
  dead: 'red',
  disabled: 'red',
  paused: 'yellow',
  pending: 'yellow',
  unread: 'petrol',
  confirming: 'yellow',
  processing: 'blue',
  approved: 'blue',
};

export function Status({ status, children }: { status: string; children: ReactNode }) {
  return (
    <Badge variant="light" color={COLOURS[status] ?? 'gray'} className={styles.status}>
      {children}
    </Badge>
  );
}

interface PageProps {
  title: string;
  lead?: ReactNode;
  /** The page that this one belongs to. */
  back?: readonly [to: string, title: string];
  children: ReactNode;
}

/** The heading of a page, which receives the focus when the page opens, so that a screen reader reads it. */
export function Page({ title, lead, back, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = title;
    heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <>
      {back && <TextLink to={back[0]}>← {back[1]}</TextLink>}
      <Title order={1} ref={heading} tabIndex={-1} className={styles.heading}>
        {title}
      </Title>
      {lead && <p className={styles.lead}>{lead}</p>}
      {children}
    </>
  );
}

export function Card({ title, children, aside }: { title?: string; children: ReactNode; aside?: ReactNode }) {
  return (
    <section className={styles.card} aria-label={title}>
      {title && (
        <div className={styles.cardHead}>
          <Title order={2} size="h4">
            {title}
          </Title>
          {aside}
        </div>
      )}
      {children}
    </section>
  );
}

interface FailureProps {
  error: unknown;
  retry?: () => unknown;
  repetition?: Repetition;
}

export function Failure({ error, retry, repetition = 'reads' }: FailureProps) {
  const { text, remedy, traceId } = describeError(error, repetition);
  return (
    <Alert color="red" role="alert" title={text}>
      {remedy && <Text size="sm">{remedy}</Text>}
      {traceId && (
        <Text size="xs" c="dimmed">
          trace {traceId}
        </Text>
      )}
      {retry && (
        <Button mt="xs" size="compact-sm" variant="default" onClick={() => void retry()}>
          {T.again}
        </Button>
      )}
    </Alert>
  );
}

export interface ReadState<Data> {
  data: Data | undefined;
  error: Error | null;
  refetch: () => unknown;
}

/** The data of a query, or what to do while there is none. */
export function Loaded<Data>({
  query,
  children,
}: {
  query: ReadState<Data>;
  children: (data: Data) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Failure error={query.error} retry={query.refetch} />;
  return (
    <div className={styles.loading} role="status">
      <Loader size="sm" aria-hidden /> {T.loading}
    </div>
  );
}

/** What to do if a list is empty. */
export function Empty({ children, to, action }: { children: ReactNode; to?: string; action?: string }) {
  return (
    <div className={styles.empty}>
      <p>{children}</p>
      {to && (
        <Button component={Link} to={to} variant="light">
          {action}
        </Button>
      )}
    </div>
  );
}

export interface Column<Row> {
  name: string;
  isNumber?: boolean;
  cell: (row: Row) => ReactNode;
}

/** A table that becomes a list of labelled values on a narrow screen. */
export function DataTable<Row extends { id: string }>({
  label,
  columns,
  rows,
}: {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
}) {
  return (
    <table aria-label={label} className={styles.table}>
      <thead>
        <tr>
          {columns.map(({ name, isNumber }) => (
            <th key={name} scope="col" className={isNumber ? styles.number : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            {columns.map(({ name, isNumber, cell }) => (
              <td key={name} data-label={name} className={isNumber ? styles.number : undefined}>
                <div>{cell(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export const TextLink = ({ to, children }: { to: string; children: ReactNode }) => (
  <Anchor component={Link} to={to} underline="always">
    {children}
  </Anchor>
);

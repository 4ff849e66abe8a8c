import { Alert, Group, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { ProofError, verifyPublishedLiabilities } from 'stablecoin-platform-client/verify';
import { api, hasCode, type Answer } from '../../api/client.ts';
import { useServiceTime } from '../../api/service-time.ts';
import { useRead } from '../../api/use-read.ts';
import { readLog, readTile, verifySameLog } from '../../proofs/verify-log.ts';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { FilterField } from '../../ui/filter-field.tsx';
import { counted, daysBefore, formatCount, formatDay, formatRatio } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { placeName } from '../../ui/places.ts';
import { Section } from '../../ui/section.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { Money, Shortened } from '../../ui/values.tsx';
import { CheckProof } from '../check-proof.tsx';

const T = inLanguage({
  until: ['Last day', 'Letzter Tag'],
  days: ['Closed days', 'Abgeschlossene Tage'],
  none: ['None of these days is closed.', 'Keiner dieser Tage ist abgeschlossen.'],
  day: ['Day', 'Tag'],
  asset: ['Currency', 'Währung'],
  owed: ['Owed to users', 'Den Nutzern geschuldet'],
  assets: ['Assets', 'Vermögen'],
  coverage: ['Covered', 'Gedeckt'],
  nothingOwed: ['nothing is owed', 'nichts geschuldet'],
  published: [(day: string) => `Liabilities of ${day}`, (day: string) => `Schulden am ${day}`],
  where: [(day: string) => `Assets of ${day}`, (day: string) => `Vermögen am ${day}`],
  users: ['Users counted', 'Gezählte Nutzer'],
  root: ['Root of the tree', 'Wurzel des Baums'],
  leaf: ['Leaf of the log', 'Blatt des Logs'],
  place: ['Where', 'Wo'],
  source: ['Shown by', 'Gezeigt von'],
  amount: ['Amount', 'Betrag'],
  chain: ['the chain, at block', 'der Kette, bei Block'],
  statement: ['the provider’s statement', 'der Auskunft des Anbieters'],
  books: ['the platform’s books', 'den Büchern der Plattform'],
  check: ['Check the day', 'Tag prüfen'],
  meaning: [
    'Checks in this browser that the totals that are owed are leaves of the signed log.',
    'Prüft in diesem Browser, dass die geschuldeten Summen Blätter des unterschriebenen Logs sind.',
  ],
  proven: [
    (count: number, size: number) =>
      `Proven: ${counted(count, 'total', 'totals')} in the signed log of ${formatCount(size)} leaves.`,
    (count: number, size: number) =>
      `Nachgewiesen: ${counted(count, 'Summe', 'Summen')} im unterschriebenen Log mit ${formatCount(size)} Blättern.`,
  ],
});

const SHOWN_DAYS = 14;

type Assets = Answer<'GET /api/proofs/assets/{day}'>['data'];
type Total = Assets['totals'][number] & { day: string };
type Line = Assets['lines'][number];
type Liabilities = Answer<'GET /api/proofs/liabilities/{day}'>['data'];
type Published = Liabilities[number];

/** What is owed to all users and what covers it: a list of the days up to the chosen one, and the details of the chosen day. */
export function Days() {
  const [url, setUrl] = useUrlState({ tab: 'checkpoints', day: '', page: '1' });
  const now = useServiceTime();
  const day =
    /^\d{4}-\d\d-\d\d$/.test(url.day) && Date.parse(url.day) > 0 ? url.day : now && daysBefore(now, 1);
  if (!day) return null;
  return (
    <>
      <Group>
        <FilterField type="date" label={T.until} value={day} onChange={(value) => setUrl({ day: value })} />
      </Group>
      <div className="gap-above">
        <DayTotals until={day} />
      </div>
      <Detail day={day} />
    </>
  );
}

const TOTAL_COLUMNS: readonly Column<Total>[] = [
  { key: 'day', header: T.day, cell: ({ day }) => formatDay(day) },
  { key: 'asset', header: T.asset, cell: ({ asset }) => asset },
  {
    key: 'owed',
    header: T.owed,
    align: 'right',
    cell: ({ liabilities }) => <Money amount={liabilities} isExact />,
  },
  {
    key: 'assets',
    header: T.assets,
    align: 'right',
    cell: ({ assets }) => <Money amount={assets} isExact />,
  },
  {
    ...{ key: 'coverage', header: T.coverage, align: 'right' },
    cell: ({ coverage }) => (coverage === null ? T.nothingOwed : formatRatio(coverage)),
  },
];

/** The assets of a day; null if the day is not closed. */
async function readAssets(day: string): Promise<Assets | null> {
  try {
    return (await api.call('GET /api/proofs/assets/{day}', { path: { day } })).data;
  } catch (error) {
    if (hasCode(error, 'PROOF_NOT_FOUND')) return null;
    throw error;
  }
}

function DayTotals({ until }: { until: string }) {
  const days = Array.from({ length: SHOWN_DAYS }, (_, index) => daysBefore(until, index));
  const { totals, error, retry } = useQueries({
    queries: days.map((day) => ({ queryKey: ['assets', day], queryFn: () => readAssets(day) })),
    combine: (results) => ({
      totals: results.some(({ isLoading }) => isLoading)
        ? undefined
        : results.flatMap(({ data }) => data?.totals.map((total) => ({ ...total, day: data.day })) ?? []),
      error: results.find((result) => result.error)?.error,
      retry: () => {
        for (const result of results) if (result.error) void result.refetch();
      },
    }),
  });
  return (
    <Section title={T.days}>
      <DataTable<Total>
        caption={T.days}
        rows={totals}
        columns={TOTAL_COLUMNS}
        idOf={({ day, asset }) => `${day} ${asset}`}
        hrefOf={({ day }) => `/log?tab=days&day=${day}`}
        empty={T.none}
        error={error}
        retry={retry}
      />
    </Section>
  );
}

const LINE_COLUMNS: readonly Column<Line>[] = [
  { key: 'place', header: T.place, cell: ({ place }) => placeName(place) },
  { key: 'asset', header: T.asset, cell: ({ asset }) => asset },
  {
    ...{ key: 'source', header: T.source },
    cell: ({ source, block, address }) => (
      <>
        {T[source]} {block} {address && <Shortened value={address} />}
      </>
    ),
  },
  {
    key: 'amount',
    header: T.amount,
    align: 'right',
    cell: ({ amount }) => <Money amount={amount} isExact />,
  },
];

const PUBLISHED_COLUMNS: readonly Column<Published>[] = [
  { key: 'asset', header: T.asset, cell: ({ asset }) => asset },
  { key: 'total', header: T.owed, align: 'right', cell: ({ total }) => <Money amount={total} isExact /> },
  { key: 'users', header: T.users, align: 'right', cell: ({ leaves }) => formatCount(leaves) },
  { key: 'leaf', header: T.leaf, align: 'right', cell: ({ leafIndex }) => formatCount(leafIndex) },
  { key: 'root', header: T.root, isSecondary: true, cell: ({ root }) => <Shortened value={root} /> },
];

function Detail({ day }: { day: string }) {
  const liabilities = useRead('GET /api/proofs/liabilities/{day}', { path: { day } });
  const assets = useRead('GET /api/proofs/assets/{day}', { path: { day } });
  if (hasCode(liabilities.error, 'PROOF_NOT_FOUND')) return null;
  const published = liabilities.data?.data;
  return (
    <>
      <Section title={T.published(formatDay(day))}>
        <DataTable<Published>
          caption={T.published(formatDay(day))}
          rows={published}
          columns={PUBLISHED_COLUMNS}
          idOf={({ asset }) => asset}
          empty={T.none}
          error={published ? undefined : liabilities.error}
          retry={() => void liabilities.refetch()}
        />
        {published && (
          <div className="gap-above">
            <CheckProof key={day} label={T.check} meaning={T.meaning} check={() => verifyDay(day, published)}>
              {(size) => <Alert color="green">{T.proven(published.length, size)}</Alert>}
            </CheckProof>
          </div>
        )}
      </Section>
      <Section title={T.where(formatDay(day))}>
        <DataTable<Line>
          caption={T.where(formatDay(day))}
          rows={assets.data?.data.lines}
          columns={LINE_COLUMNS}
          idOf={({ place, asset, address }) => [place, asset, address].join(' ')}
          empty={<Text>{T.none}</Text>}
          error={assets.data ? undefined : assets.error}
          retry={() => void assets.refetch()}
        />
      </Section>
    </>
  );
}

/** Verifies that the totals of the day are leaves of the log whose newest checkpoint is signed. Returns the size of the log. */
async function verifyDay(day: string, published: Liabilities): Promise<number> {
  const log = await readLog();
  for (const total of published) {
    if (total.day !== day) throw new ProofError(`The total is of ${total.day}, not of ${day}.`);
    await verifyPublishedLiabilities(total, log.keys, readTile);
    await verifySameLog(total.checkpoint, log);
  }
  return log.size;
}

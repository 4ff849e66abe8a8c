import { Alert, Button, NativeSelect } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { ProofError } from 'stablecoin-platform-client/verify';
import { api } from '../api/client.ts';
import { isSandbox } from '../api/sign-in.ts';
import { useRead } from '../api/use-read.ts';
import { forgetProofs } from '../proofs/kept-proofs.ts';
import { verifyLog, type ProvenLog } from '../proofs/verify-log.ts';
import { formatDay } from '../ui/format.ts';
import { inLanguage } from '../ui/language.ts';
import { placeName } from '../ui/places.ts';
import { Facts } from '../ui/facts.tsx';
import styles from './app.module.css';
import { useAction } from './intent.ts';
import { Card, DataTable, Failure, Loaded, Money, Page, ShortAddress } from './parts.tsx';
import { useUser } from './session.tsx';
import { verifyMoney, type ProvenMoney } from './verify-money.ts';

const T = inLanguage({
  title: ['My money is counted', 'Mein Geld ist gezählt'],
  lead: [
    'Every night the platform publishes what it owes to all users. This browser checks, by computing it again, that your money is part of that sum.',
    'Jede Nacht veröffentlicht die Plattform, was sie allen Nutzern schuldet. Dieser Browser prüft durch Nachrechnen, dass Ihr Geld Teil dieser Summe ist.',
  ],
  asset: ['Currency', 'Währung'],
  check: ['Check the proof', 'Nachweis prüfen'],
  signed: [
    (size: number) => `The log of ${size} entries is signed by a key of the platform.`,
    (size: number) =>
      `Das Protokoll mit ${size} Einträgen ist mit einem Schlüssel der Plattform unterschrieben.`,
  ],
  first: [
    'This is the first check in this browser. It has kept the log: the next check shows whether history was rewritten since.',
    'Das ist die erste Prüfung in diesem Browser. Er hat das Protokoll behalten: Die nächste Prüfung zeigt, ob die Geschichte seither umgeschrieben wurde.',
  ],
  continues: [
    (size: number) =>
      `It continues the log of ${size} entries that this browser has kept: nothing was rewritten.`,
    (size: number) =>
      `Es setzt das Protokoll mit ${size} Einträgen fort, das dieser Browser behalten hat: Nichts wurde umgeschrieben.`,
  ],
  published: [
    (day: string) => `The total owed at the end of ${day} is an entry of this log.`,
    (day: string) => `Die Summe der Schulden am Ende des ${day} ist ein Eintrag dieses Protokolls.`,
  ],
  counted: [
    (day: string) => `Your amount is part of that total, at the end of ${day} (UTC).`,
    (day: string) => `Ihr Betrag ist Teil dieser Summe, am Ende des ${day} (UTC).`,
  ],
  yours: ['Yours', 'Ihr Betrag'],
  total: ['Owed to all users', 'Allen Nutzern geschuldet'],
  users: ['Users counted', 'Gezählte Nutzer'],
  root: [
    'Fingerprint of the total, the same for all users',
    'Fingerabdruck der Summe, für alle Nutzer gleich',
  ],
  available: ['Of it available', 'Davon verfügbar'],
  reserved: ['reserved', 'reserviert'],
  invested: ['invested', 'angelegt'],
  held: ['held', 'zurückgehalten'],
  notYet: [
    'The log is right, but no day has ended since your first transaction. Come back after the next midnight UTC.',
    'Das Protokoll stimmt, aber seit Ihrer ersten Buchung ist noch kein Tag zu Ende. Kommen Sie nach der nächsten Mitternacht UTC wieder.',
  ],
  notYetSandbox: [
    'In the sandbox, let thirty days pass on the page “Portfolio”, then wait about a minute.',
    'In der Sandbox: Lassen Sie auf der Seite „Vermögen“ dreißig Tage vergehen und warten Sie etwa eine Minute.',
  ],
  failed: ['The check has failed', 'Die Prüfung ist fehlgeschlagen'],
  failedText: [
    'Do not press on. Save a screenshot and contact the platform, and if you can, another user or an auditor: two readers of the same log must see the same.',
    'Machen Sie nicht einfach weiter. Sichern Sie ein Bildschirmfoto und fragen Sie die Plattform, und wenn möglich einen anderen Nutzer oder Prüfer: Zwei Leser desselben Protokolls müssen dasselbe sehen.',
  ],
  forget: [
    'This sandbox was set up anew: forget the kept log',
    'Diese Sandbox wurde neu aufgesetzt: behaltenes Protokoll vergessen',
  ],
  proves: ['What this proves', 'Was das beweist'],
  provesList: [
    [
      'Your amount, in full, is in the total that the platform owes.',
      'All users are shown the same total, if they compare it with each other.',
      'The log has not been rewritten since the last check in this browser.',
    ],
    [
      'Ihr Betrag steht ganz in der Summe, die die Plattform schuldet.',
      'Alle Nutzer sehen dieselbe Summe, wenn sie sie miteinander vergleichen.',
      'Das Protokoll wurde seit der letzten Prüfung in diesem Browser nicht umgeschrieben.',
    ],
  ],
  not: ['What it does not prove', 'Was es nicht beweist'],
  notList: [
    [
      'That the platform has the money: the assets of a day are below, and only lines from the chain can be checked by others.',
      'That rates were earned: they are the platform’s statement.',
      'That users who never check are counted: each one finds only their own amount.',
      'That this page is honest: it comes from the platform. The documentation shows how to run the same verifier from your own computer.',
    ],
    [
      'Dass die Plattform das Geld hat: Die Vermögenswerte eines Tages stehen unten, und nur Zeilen von der Kette können andere prüfen.',
      'Dass die Erträge erwirtschaftet wurden: Sie sind eine Angabe der Plattform.',
      'Dass Nutzer gezählt sind, die nie prüfen: Jeder findet nur den eigenen Betrag.',
      'Dass diese Seite ehrlich ist: Sie kommt von der Plattform. Die Dokumentation zeigt, wie derselbe Prüfer auf Ihrem eigenen Rechner läuft.',
    ],
  ],
  assets: [
    (day: string) => `Assets at the end of ${day}`,
    (day: string) => `Vermögenswerte am Ende des ${day}`,
  ],
  place: ['Where', 'Wo'],
  source: ['Shown by', 'Gezeigt von'],
  chain: ['the chain, at block', 'der Kette, bei Block'],
  statement: ['the provider’s statement', 'der Auskunft des Anbieters'],
  books: ['the platform’s books', 'den Büchern der Plattform'],
  amount: ['Amount', 'Betrag'],
});

type Asset = 'USDC' | 'USDT' | 'ETH';

interface Outcome {
  log: ProvenLog;
  money: ProvenMoney | undefined;
}

export default function Proof() {
  const user = useUser();
  const [asset, setAsset] = useState<Asset>('USDC');
  const action = useAction<Outcome>(undefined, 'reads');
  const { state } = action;
  const check = () =>
    action.run(asset, async () => {
      const log = await verifyLog();
      return { log, money: await verifyMoney(log.log, user, asset, await today()) };
    });
  return (
    <Page title={T.title} lead={T.lead}>
      <Card>
        <div className={styles.row}>
          <NativeSelect
            label={T.asset}
            value={asset}
            onChange={(event) => setAsset(event.currentTarget.value as Asset)}
            data={['USDC', 'USDT', 'ETH']}
          />
          <Button onClick={() => void check()} loading={state.status === 'running'}>
            {T.check}
          </Button>
        </div>
        <div aria-live="polite">
          {state.status === 'done' && <Proven outcome={state.result} />}
          {state.status === 'failed' && <Failed error={state.error} onForget={action.reset} />}
        </div>
      </Card>
      <div className={styles.grid}>
        <Bullets title={T.proves} texts={T.provesList} />
        <Bullets title={T.not} texts={T.notList} />
      </div>
      {state.status === 'done' && state.result.money && <Assets day={state.result.money.mine.day} />}
    </Page>
  );
}

/** The clock of this computer, because the platform cannot change it; in the sandbox that of the platform, which was moved. */
async function today(): Promise<string> {
  if (!isSandbox) return new Date().toISOString().slice(0, 10);
  const { data } = await api.call('GET /api/ping');
  return data.timestamp.slice(0, 10);
}

function Proven({ outcome: { log, money } }: { outcome: Outcome }) {
  const day = money && formatDay(money.mine.day);
  return (
    <>
      <ul className={styles.checks}>
        <Check>{T.signed(log.size)}</Check>
        <Check>{log.keptSize === undefined ? T.first : T.continues(log.keptSize)}</Check>
        {day && <Check>{T.published(day)}</Check>}
        {day && <Check>{T.counted(day)}</Check>}
      </ul>
      {!money && (
        <Alert color="yellow">
          {T.notYet} {isSandbox && T.notYetSandbox}
        </Alert>
      )}
      {money && <Amounts money={money} />}
    </>
  );
}

const Check = ({ children }: { children: ReactNode }) => (
  <li>
    <span aria-hidden>✓</span>
    <p>{children}</p>
  </li>
);

const PARTS = ['available', 'reserved', 'invested', 'held'] as const;

function Amounts({ money: { mine, total } }: { money: ProvenMoney }) {
  return (
    <Facts
      of={[
        [
          T.yours,
          <strong>
            <Money amount={mine.amount} currency={mine.asset} />
          </strong>,
        ],
        ...PARTS.map(
          (part) => [T[part], <Money amount={mine.components[part]} currency={mine.asset} />] as const,
        ),
        [T.total, <Money amount={total.total} currency={total.asset} />],
        [T.users, total.leaves],
        [T.root, <ShortAddress value={total.root} label={T.root} />],
      ]}
    />
  );
}

function Failed({ error, onForget }: { error: unknown; onForget: () => void }) {
  if (!(error instanceof ProofError)) return <Failure error={error} />;
  return (
    <Alert color="red" role="alert" title={T.failed}>
      <p>{error.message}</p>
      <p>{T.failedText}</p>
      {isSandbox && (
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => {
            forgetProofs();
            onForget();
          }}
        >
          {T.forget}
        </Button>
      )}
    </Alert>
  );
}

const Bullets = ({ title, texts }: { title: string; texts: readonly string[] }) => (
  <Card title={title}>
    <ul className={styles.timeline}>
      {texts.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  </Card>
);

function Assets({ day }: { day: string }) {
  const query = useRead('GET /api/proofs/assets/{day}', { path: { day } });
  return (
    <Card title={T.assets(formatDay(day))}>
      <Loaded query={query}>
        {({ data }) => (
          <DataTable
            label={T.assets(formatDay(day))}
            rows={data.lines.map((line, index) => ({ ...line, id: String(index) }))}
            columns={[
              { name: T.place, cell: ({ place }) => placeName(place) },
              {
                name: T.source,
                cell: ({ source, block }) => `${T[source]}${block === undefined ? '' : ` ${block}`}`,
              },
              {
                name: T.amount,
                isNumber: true,
                cell: ({ amount, asset }) => <Money amount={amount} currency={asset} />,
              },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}

import { Alert, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { DepositLimitsResponse } from 'stablecoin-platform-client/routes';
import { payTestDeposit } from '../api/sandbox.ts';
import { isSandbox } from '../api/sign-in.ts';
import type { Answer } from '../api/client.ts';
import { useRead } from '../api/use-read.ts';
import { inLanguage } from '../ui/language.ts';
import { Facts } from '../ui/facts.tsx';
import { Grouped } from '../ui/values.tsx';
import QrCode from '../ui/qr-code.tsx';
import { ActionPanel } from './action-panel.tsx';
import styles from './app.module.css';
import { DepositTable } from './deposit-table.tsx';
import { formatSum } from './format.ts';
import { useAction } from './intent.ts';
import { Card, Loaded, Money, Page, TextLink } from './parts.tsx';

const T = inLanguage({
  title: ['Deposit', 'Einzahlen'],
  lead: [
    'Send stablecoins to your own address. The amount is available after the network has confirmed the transfer.',
    'Senden Sie Stablecoins an Ihre eigene Adresse. Der Betrag ist verfügbar, sobald das Netz die Überweisung bestätigt hat.',
  ],
  what: ['Currency and network', 'Währung und Netz'],
  on: [
    (currency: string, network: string) => `${currency} on ${network}`,
    (currency: string, network: string) => `${currency} über ${network}`,
  ],
  address: ['Your deposit address', 'Ihre Einzahlungsadresse'],
  qr: [(address: string) => `QR code of ${address}`, (address: string) => `QR-Code von ${address}`],
  only: [
    (what: string) => `Send only ${what} to this address. Anything else can be lost.`,
    (what: string) => `Senden Sie nur ${what} an diese Adresse. Alles andere kann verloren gehen.`,
  ],
  minimum: ['Minimum', 'Mindestbetrag'],
  confirmations: ['Confirmations', 'Bestätigungen'],
  contract: ['Contract of the token', 'Vertrag des Tokens'],
  memo: ['Memo, required', 'Memo, erforderlich'],
  closed: [
    'Deposits are not accepted at the moment. Do not send anything now.',
    'Zurzeit werden keine Einzahlungen angenommen. Senden Sie jetzt nichts.',
  ],
  delayed: [
    'The network is followed with a delay: a transfer shows later than usual.',
    'Das Netz wird mit Verzögerung gelesen: Eine Überweisung erscheint später als sonst.',
  ],
  testSentence: [
    (sum: string) => `Sends ${sum} of test money to the address above, as a wallet would do.`,
    (sum: string) => `Sendet ${sum} Testgeld an die Adresse oben, wie eine Wallet es täte.`,
  ],
  testButton: [(sum: string) => `Deposit ${sum}`, (sum: string) => `${sum} einzahlen`],
  testDone: [
    'Sent. The confirmations show below as they arrive; once it is credited you can invest it.',
    'Gesendet. Die Bestätigungen erscheinen unten, sobald sie eintreffen; nach der Gutschrift können Sie anlegen.',
  ],
  invest: ['Invest', 'Anlegen'],
  yours: ['Your deposits', 'Ihre Einzahlungen'],
});

const TEST_AMOUNT = '1000.00';
const keyOf = ({ currency, network }: DepositLimitsResponse) => `${currency} ${network}`;

export default function Deposit() {
  const limits = useRead('GET /api/user/limits');
  return (
    <Page title={T.title} lead={T.lead}>
      <Loaded query={limits}>
        {/* ETH has no deposit address of its own. */}
        {({ data }) => <Choice terms={data.deposits.filter(({ currency }) => currency !== 'ETH')} />}
      </Loaded>
      <Card title={T.yours}>
        <DepositTable />
      </Card>
    </Page>
  );
}

function Choice({ terms }: { terms: DepositLimitsResponse[] }) {
  const [chosen, setChosen] = useState('USDC ERC20');
  const term = terms.find((candidate) => keyOf(candidate) === chosen) ?? terms[0];
  if (!term) return <Alert color="yellow">{T.closed}</Alert>;
  return (
    <Card>
      <NativeSelect
        label={T.what}
        value={keyOf(term)}
        onChange={(event) => setChosen(event.currentTarget.value)}
        data={terms.map((one) => ({ value: keyOf(one), label: T.on(one.currency, one.network) }))}
      />
      <NetworkState network={term.network} />
      <DepositAddress key={keyOf(term)} term={term} />
    </Card>
  );
}

function NetworkState({ network }: { network: string }) {
  const { data } = useRead('GET /api/deposits/status');
  if (data && !data.data.accepting) return <Alert color="red">{T.closed}</Alert>;
  const isDelayed = data?.data.networks.some((one) => one.network === network && one.status === 'delayed');
  return isDelayed ? <Alert color="yellow">{T.delayed}</Alert> : null;
}

function DepositAddress({ term: { currency, network } }: { term: DepositLimitsResponse }) {
  const query = useRead(
    'GET /api/user/deposits/address',
    { query: { currency: currency as 'USDC' | 'USDT', network } },
    { staleTime: Infinity },
  );
  return (
    <Loaded query={query}>
      {({ data }) => (
        <div className={styles.form}>
          <p className={styles.sentence}>{T.only(T.on(currency, network))}</p>
          <div className={styles.beside}>
            <QrCode text={data.address} label={T.qr(data.address)} />
            <AddressFacts data={data} />
          </div>
          {isSandbox && <TestDeposit address={data.address} sum={formatSum(TEST_AMOUNT, currency)} />}
        </div>
      )}
    </Loaded>
  );
}

function AddressFacts({ data }: { data: Answer<'GET /api/user/deposits/address'>['data'] }) {
  return (
    <Facts
      of={[
        [T.address, <Grouped value={data.address} label={T.address} />],
        [T.memo, data.memo !== null && <Grouped value={data.memo} label={T.memo} />],
        [T.minimum, <Money amount={data.minimumDeposit} currency={data.currency} />],
        [T.confirmations, data.estimatedConfirmations],
        [
          T.contract,
          data.contractAddress !== null && <Grouped value={data.contractAddress} label={T.contract} />,
        ],
      ]}
    />
  );
}

function TestDeposit({ address, sum }: { address: string; sum: string }) {
  const action = useAction<{ txHash: string }>();
  return (
    <ActionPanel
      sentence={T.testSentence(sum)}
      label={T.testButton(sum)}
      action={action}
      onAct={() => action.run(address, () => payTestDeposit(address, TEST_AMOUNT))}
      outcome={() => (
        <>
          {T.testDone} <TextLink to="/invest">{T.invest}</TextLink>
        </>
      )}
    />
  );
}

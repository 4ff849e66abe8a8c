import { Alert, NativeSelect, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type {
  AddressResponse,
  LimitsResponse,
  RequestedWithdrawalResponse,
} from 'stablecoin-platform-client/routes';
import { api } from '../api/client.ts';
import { useServiceTime } from '../api/service-time.ts';
import { useRead } from '../api/use-read.ts';
import { compareDecimals, smallest } from '../ui/decimal.ts';
import { formatMoment, formatMoney, groupsOf } from '../ui/format.ts';
import { inLanguage } from '../ui/language.ts';
import { Facts } from '../ui/facts.tsx';
import { parseTyped } from '../ui/typed-decimal.ts';
import { ActionPanel } from './action-panel.tsx';
import { AmountField } from './amount-field.tsx';
import styles from './app.module.css';
import { formatSum, shortestDecimal } from './format.ts';
import { useAction, type Action } from './intent.ts';
import { Card, Loaded, Money, Page, TextLink } from './parts.tsx';
import { SandboxPayment } from './sandbox-payment.tsx';
import { useConfirmed } from './step-up.tsx';
import { WithdrawalTable } from './withdrawal-table.tsx';

const T = inLanguage({
  title: ['Withdraw', 'Auszahlen'],
  lead: [
    'USDC is paid to an address on Ethereum (ERC20) after an operator has approved the request.',
    'USDC wird an eine Adresse auf Ethereum (ERC20) ausgezahlt, nachdem ein Mitarbeiter den Auftrag freigegeben hat.',
  ],
  most: ['At most now', 'Höchstens jetzt'],
  to: ['Pay to', 'Auszahlen an'],
  other: ['Another address…', 'Andere Adresse …'],
  address: ['Address', 'Adresse'],
  addressHint: [
    '0x and 40 hexadecimal digits. Compare it group by group.',
    '0x und 40 Hexadezimalziffern. Vergleichen Sie Gruppe für Gruppe.',
  ],
  book: ['Address book', 'Adressbuch'],
  otherNetworks: [
    'Only addresses of ERC20 are offered; those of other networks cannot receive this payment.',
    'Nur Adressen für ERC20 stehen zur Wahl; die anderer Netze können diese Zahlung nicht empfangen.',
  ],
  notYet: [
    (label: string, from: string) => `${label} (usable from ${from} on)`,
    (label: string, from: string) => `${label} (verwendbar ab ${from})`,
  ],
  limits: ['What you can withdraw now', 'Was Sie jetzt auszahlen können'],
  minimum: ['Minimum', 'Mindestbetrag'],
  transaction: ['Each withdrawal', 'Je Auszahlung'],
  day: ['In 24 hours', 'In 24 Stunden'],
  month: ['In 30 days', 'In 30 Tagen'],
  left: [
    (left: string, limit: string) => `${left} of ${limit} left`,
    (left: string, limit: string) => `noch ${left} von ${limit}`,
  ],
  tier: ['Tier', 'Stufe'],
  paused: [
    'Withdrawals are paused. Nothing is lost; try again later.',
    'Auszahlungen sind angehalten. Nichts ist verloren; versuchen Sie es später.',
  ],
  locked: [
    'The account is locked. “Security” says who can unlock it.',
    'Das Konto ist gesperrt. Unter „Sicherheit“ steht, wer es entsperren kann.',
  ],
  hold: [
    (until: string) => `A security hold after a change of your account lasts until ${until}.`,
    (until: string) => `Nach einer Änderung Ihres Kontos gilt bis ${until} eine Sicherheitsfrist.`,
  ],
  enter: ['Enter an amount.', 'Geben Sie einen Betrag ein.'],
  format: [
    'Enter a number with at most six decimals, such as 100.50.',
    'Geben Sie eine Zahl mit höchstens sechs Nachkommastellen ein, etwa 100,50.',
  ],
  atLeast: [(sum: string) => `Enter at least ${sum}.`, (sum: string) => `Geben Sie mindestens ${sum} ein.`],
  atMost: [(sum: string) => `Enter at most ${sum}.`, (sum: string) => `Geben Sie höchstens ${sum} ein.`],
  enterAddress: ['Enter the address.', 'Geben Sie die Adresse ein.'],
  wrongAddress: [
    'The address must be 0x and 40 hexadecimal digits.',
    'Die Adresse muss aus 0x und 40 Hexadezimalziffern bestehen.',
  ],
  onlyBook: [
    'Choose an address of the address book: your tier requires it.',
    'Wählen Sie eine Adresse aus dem Adressbuch: Ihre Stufe verlangt es.',
  ],
  notUsable: ['This address is not usable yet.', 'Diese Adresse ist noch nicht verwendbar.'],
  sentence: [
    (sum: string, address: string) =>
      `Requests the payment of ${sum} to ${address}. The amount is reserved now, and you can cancel until it is approved.`,
    (sum: string, address: string) =>
      `Beantragt die Auszahlung von ${sum} an ${address}. Der Betrag wird jetzt reserviert; bis zur Freigabe können Sie stornieren.`,
  ],
  confirm: [
    (sum: string, address: string) => `Pay ${sum} to ${address}`,
    (sum: string, address: string) => `${sum} an ${address} auszahlen`,
  ],
  request: ['Request withdrawal', 'Auszahlung beantragen'],
  done: [
    (sum: string) => `Requested: ${sum} wait for approval. The state shows below.`,
    (sum: string) => `Beantragt: ${sum} warten auf Freigabe. Der Stand steht unten.`,
  ],
  held: [
    (sum: string) => `Requested: ${sum} wait until the platform's daily limit has room.`,
    (sum: string) => `Beantragt: ${sum} warten, bis die Tagesgrenze der Plattform Platz hat.`,
  ],
  yours: ['Your withdrawals', 'Ihre Auszahlungen'],
});

const ADDRESS = /^0x[\da-fA-F]{40}$/;
const OTHER = 'other';
const grouped = (address: string) => groupsOf(address).join(' ');

export default function Withdraw() {
  const limits = useRead('GET /api/user/limits');
  const addresses = useRead('GET /api/user/addresses');
  const action = useAction<RequestedWithdrawalResponse>('withdrawal.request');
  const hideOutcome = (id: string) => {
    if (action.state.status === 'done' && action.state.result.id === id) action.reset();
  };
  return (
    <Page title={T.title} lead={T.lead}>
      <Loaded query={limits}>
        {({ data }) => (
          <>
            <Obstacles limits={data} />
            <div className={styles.grid}>
              <Loaded query={addresses}>
                {(answer) => <WithdrawForm limits={data} addresses={answer.data} action={action} />}
              </Loaded>
              <LimitFacts limits={data} />
            </div>
          </>
        )}
      </Loaded>
      <Card title={T.yours}>
        <WithdrawalTable onCancelled={hideOutcome} />
      </Card>
    </Page>
  );
}

/** What prevents withdrawals now, except a lock, which every page shows. */
function Obstacles({ limits: { withdrawals, hold } }: { limits: LimitsResponse }) {
  const texts = [
    hold && T.hold(formatMoment(hold.until)),
    withdrawals.paused && [T.paused, withdrawals.pausedReason].filter(Boolean).join(' '),
  ].filter((text) => typeof text === 'string');
  return texts.map((text) => (
    <Alert key={text} color="yellow" mb="sm">
      {text}
    </Alert>
  ));
}

function LimitFacts({ limits: { tier, windows, withdrawals } }: { limits: LimitsResponse }) {
  const { data } = useRead('GET /api/user/balance');
  const most = data && smallest(withdrawals.available, data.data.available);
  return (
    <Card title={T.limits}>
      <Facts
        of={[
          [T.most, most && <Money amount={most} />],
          [T.minimum, <Money amount={withdrawals.minimum} />],
          ...windows.map(
            ({ window, limit, left }) =>
              [T[window], T.left(formatMoney(left), `${formatMoney(limit)} USDC`)] as const,
          ),
          [T.tier, tier.name ?? tier.id],
        ]}
      />
    </Card>
  );
}

interface WithdrawFormProps {
  limits: LimitsResponse;
  addresses: AddressResponse[];
  action: Action<RequestedWithdrawalResponse>;
}

function WithdrawForm({ limits, addresses: book, action }: WithdrawFormProps) {
  const queries = useQueryClient();
  const confirmed = useConfirmed();
  const { data: balance } = useRead('GET /api/user/balance');
  const now = useServiceTime();
  const [typed, setTyped] = useState('');
  const addresses = book.filter(({ network }) => network === 'ERC20');
  const [chosen, setChosen] = useState(addresses[0]?.id ?? OTHER);
  const [typedAddress, setTypedAddress] = useState('');
  const entry = addresses.find(({ id }) => id === chosen);
  const toAddress = entry?.address ?? typedAddress.trim();
  const amount = parseTyped(typed);
  const available = balance?.data.available ?? '0';
  const problem =
    obstacleOf(limits) ??
    amountProblem(typed, amount, limits, available) ??
    addressProblem(entry, toAddress, limits, now);
  const request = async () => {
    if (amount === undefined) return;
    const body = { amount: shortestDecimal(amount), currency: 'USDC' as const, toAddress };
    const sentence = T.confirm(formatSum(amount), grouped(toAddress));
    const result = await action.run(body, (idempotencyKey) =>
      confirmed({ action: 'withdrawal.request', details: body, sentence }, async (stepUp) => {
        const { data } = await api.call('POST /api/user/withdrawals', { body, idempotencyKey, stepUp });
        return data;
      }),
    );
    if (result) setTyped('');
    await queries.invalidateQueries();
  };
  return (
    <Card>
      <div className={styles.form}>
        <AmountField
          available={available}
          limit={limits.withdrawals.available}
          value={typed}
          onChange={(text) => {
            setTyped(text);
            action.reset();
          }}
        />
        <NativeSelect
          label={T.to}
          description={addresses.length < book.length && T.otherNetworks}
          value={entry ? chosen : OTHER}
          onChange={(event) => setChosen(event.currentTarget.value)}
          data={[...addresses.map((one) => toOption(one, now)), { value: OTHER, label: T.other }]}
        />
        {!entry && (
          <TextInput
            label={T.address}
            description={T.addressHint}
            autoComplete="off"
            spellCheck={false}
            value={typedAddress}
            onChange={(event) => setTypedAddress(event.currentTarget.value)}
          />
        )}
        <TextLink to="/addresses">{T.book}</TextLink>
      </div>
      <ActionPanel
        sentence={T.sentence(formatSum(amount ?? '0'), grouped(toAddress))}
        disabledBecause={problem}
        label={T.request}
        action={action}
        onAct={request}
        outcome={(made) => (
          <>
            {made.heldByPlatformLimit ? T.held(formatSum(made.amount)) : T.done(formatSum(made.amount))}
            <SandboxPayment />
          </>
        )}
      />
    </Card>
  );
}

const isUsable = ({ usableFrom }: AddressResponse, now: string | undefined) =>
  now === undefined || Date.parse(usableFrom) <= Date.parse(now);

function toOption(entry: AddressResponse, now: string | undefined) {
  const { id, label, address, usableFrom } = entry;
  const name = `${label}: ${groupsOf(address).slice(0, 2).join(' ')} … ${address.slice(-4)}`;
  return { value: id, label: isUsable(entry, now) ? name : T.notYet(name, formatMoment(usableFrom)) };
}

function obstacleOf({ withdrawals, locked, hold }: LimitsResponse): string | undefined {
  if (locked) return T.locked;
  if (hold) return T.hold(formatMoment(hold.until));
  return withdrawals.paused ? T.paused : undefined;
}

function amountProblem(
  typed: string,
  amount: string | undefined,
  { withdrawals }: LimitsResponse,
  available: string,
): string | undefined {
  if (typed.trim() === '') return T.enter;
  if (amount === undefined) return T.format;
  if (compareDecimals(amount, withdrawals.minimum) < 0) return T.atLeast(formatSum(withdrawals.minimum));
  const most = smallest(withdrawals.available, available);
  if (compareDecimals(amount, most) > 0) return T.atMost(formatSum(most));
  return undefined;
}

function addressProblem(
  entry: AddressResponse | undefined,
  toAddress: string,
  { withdrawals: { addressBook } }: LimitsResponse,
  now: string | undefined,
): string | undefined {
  if (entry) return addressBook === 'required' && !isUsable(entry, now) ? T.notUsable : undefined;
  if (addressBook === 'required') return T.onlyBook;
  if (toAddress === '') return T.enterAddress;
  return ADDRESS.test(toAddress) ? undefined : T.wrongAddress;
}

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type {
  InvestmentResponse,
  StrategyLimitsResponse,
  StrategyResponse,
} from 'stablecoin-platform-client/routes';
import { api } from '../api/client.ts';
import { useRead } from '../api/use-read.ts';
import { compareDecimals, percentOf } from '../ui/decimal.ts';
import { counted, formatPercent } from '../ui/format.ts';
import { inLanguage } from '../ui/language.ts';
import { strategyText } from '../ui/loaded-german.ts';
import { Facts } from '../ui/facts.tsx';
import { parseTyped } from '../ui/typed-decimal.ts';
import { ActionPanel } from './action-panel.tsx';
import { AmountField } from './amount-field.tsx';
import styles from './app.module.css';
import { formatSum, shortestDecimal } from './format.ts';
import { useAction } from './intent.ts';
import { Card, Loaded, Money, Page, Status, TextLink } from './parts.tsx';

const T = inLanguage({
  title: ['Invest', 'Anlegen'],
  lead: [
    'Choose a strategy. Yields are targets and not guaranteed; higher targets carry higher risk.',
    'Wählen Sie eine Strategie. Erträge sind Ziele und nicht garantiert; höhere Ziele tragen höhere Risiken.',
  ],
  strategy: ['Strategy', 'Strategie'],
  low: ['low risk', 'geringes Risiko'],
  medium: ['medium risk', 'mittleres Risiko'],
  high: ['high risk', 'hohes Risiko'],
  riskMeaning: [
    'The risk compares the strategies with each other: the higher it is, the further the value can fall, and the more often the target can be missed. Money can be lost at low risk, too.',
    'Das Risiko vergleicht die Strategien miteinander: Je höher es ist, desto weiter kann der Wert fallen und desto öfter das Ziel verfehlt werden. Auch bei geringem Risiko kann Geld verloren gehen.',
  ],
  target: [(yearly: string) => `Target: ${yearly} a year`, (yearly: string) => `Ziel: ${yearly} im Jahr`],
  suspended: ['takes no new investments at present', 'nimmt zurzeit nichts an'],
  minimum: ['Minimum', 'Mindestbetrag'],
  maximum: ['Maximum', 'Höchstbetrag'],
  lock: ['Lock-up', 'Bindung'],
  noLock: ['none', 'keine'],
  lockDays: [(days: number) => counted(days, 'day', 'days'), (days: number) => counted(days, 'Tag', 'Tage')],
  fees: ['Fees, charged on closing', 'Gebühren, bei Beendigung'],
  feeText: [
    (management: string, performance: string) =>
      `${management} of the principal a year, ${performance} of the growth`,
    (management: string, performance: string) =>
      `${management} des Einsatzes im Jahr, ${performance} des Zuwachses`,
  ],
  yearly: ['After a year at the target, before fees', 'Nach einem Jahr zum Ziel, vor Gebühren'],
  sentence: [
    (sum: string, name: string, lock: number) =>
      `Invests ${sum} of your available balance in ${name}.${lock > 0 ? ` It cannot be closed for ${counted(lock, 'day', 'days')}.` : ' You can close it at any time.'}`,
    (sum: string, name: string, lock: number) =>
      `Legt ${sum} Ihres verfügbaren Guthabens in ${name} an.${lock > 0 ? ` ${counted(lock, 'Tag', 'Tage')} lang lässt sich das nicht beenden.` : ' Sie können das jederzeit beenden.'}`,
  ],
  invest: ['Invest', 'Anlegen'],
  enter: ['Enter an amount.', 'Geben Sie einen Betrag ein.'],
  format: [
    'Enter a number with at most six decimals, such as 100.50.',
    'Geben Sie eine Zahl mit höchstens sechs Nachkommastellen ein, etwa 100,50.',
  ],
  atLeast: [(sum: string) => `Enter at least ${sum}.`, (sum: string) => `Geben Sie mindestens ${sum} ein.`],
  atMost: [(sum: string) => `Enter at most ${sum}.`, (sum: string) => `Geben Sie höchstens ${sum} ein.`],
  tooMuch: [
    (sum: string) => `You have ${sum} available: enter less, or deposit first.`,
    (sum: string) => `Sie haben ${sum} verfügbar: Geben Sie weniger ein oder zahlen Sie zuerst ein.`,
  ],
  done: [
    (sum: string, name: string) => `${sum} are invested in ${name}.`,
    (sum: string, name: string) => `${sum} sind in ${name} angelegt.`,
  ],
  waiting: [
    (sum: string) => `The investment of ${sum} waits for approval. Until then the amount is reserved.`,
    (sum: string) => `Die Anlage von ${sum} wartet auf Freigabe. Bis dahin ist der Betrag reserviert.`,
  ],
  see: ['See the position', 'Zur Anlage'],
});

export default function Invest() {
  const strategies = useRead('GET /api/user/strategies');
  const limits = useRead('GET /api/user/limits');
  return (
    <Page title={T.title} lead={T.lead}>
      <Loaded query={strategies}>
        {({ data }) => (
          <Loaded query={limits}>
            {(answer) => <InvestForm strategies={data.strategies} limits={answer.data.strategies} />}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

interface InvestFormProps {
  strategies: StrategyResponse[];
  limits: StrategyLimitsResponse[];
}

function InvestForm({ strategies, limits }: InvestFormProps) {
  const queries = useQueryClient();
  const [chosen, setChosen] = useState(strategies[0]?.id);
  const [typed, setTyped] = useState('');
  const action = useAction<InvestmentResponse>('investment.create');
  const balance = useRead('GET /api/user/balance');
  const strategy = strategies.find(({ id }) => id === chosen);
  const terms = limits.find(({ strategyId }) => strategyId === chosen);
  if (!strategy || !terms) return null;
  const available = balance.data?.data.available ?? '0';
  const amount = parseTyped(typed);
  const problem = problemOf(typed, amount, terms, available);
  const invest = async () => {
    if (amount === undefined) return;
    const body = { strategyId: strategy.id, amount: shortestDecimal(amount) };
    const result = await action.run(body, async (idempotencyKey) => {
      const { data } = await api.call('POST /api/user/investments', { body, idempotencyKey });
      return data;
    });
    if (!result) return;
    setTyped('');
    await queries.invalidateQueries();
  };
  return (
    <Card>
      <StrategyChoice strategies={strategies} limits={limits} chosen={strategy.id} onChoose={setChosen} />
      <p className={styles.hint}>{T.riskMeaning}</p>
      <div className={styles.twoColumns}>
        <div className={styles.form}>
          <AmountField
            available={available}
            limit={terms.maximum}
            value={typed}
            onChange={(text) => {
              setTyped(text);
              action.reset();
            }}
          />
        </div>
        <Terms terms={terms} strategy={strategy} amount={problem ? undefined : amount} />
      </div>
      <ActionPanel
        sentence={T.sentence(formatSum(amount ?? '0'), strategy.name, terms.lockDays)}
        disabledBecause={problem}
        label={T.invest}
        action={action}
        onAct={invest}
        outcome={(made) => (
          <>
            {made.status === 'pending'
              ? T.waiting(formatSum(made.amount))
              : T.done(formatSum(made.amount), made.strategyName)}{' '}
            <TextLink to={`/positions/${made.id}`}>{T.see}</TextLink>
          </>
        )}
      />
    </Card>
  );
}

function problemOf(
  typed: string,
  amount: string | undefined,
  { minimum, maximum, available: isOpen }: StrategyLimitsResponse,
  available: string,
): string | undefined {
  if (!isOpen) return T.suspended;
  if (typed.trim() === '') return T.enter;
  if (amount === undefined) return T.format;
  if (compareDecimals(amount, minimum) < 0) return T.atLeast(formatSum(minimum));
  if (compareDecimals(amount, available) > 0) return T.tooMuch(formatSum(available));
  if (compareDecimals(amount, maximum) > 0) return T.atMost(formatSum(maximum));
  return undefined;
}

interface StrategyChoiceProps extends InvestFormProps {
  chosen: string;
  onChoose: (id: string) => void;
}

function StrategyChoice({ strategies, limits, chosen, onChoose }: StrategyChoiceProps) {
  return (
    <fieldset className={styles.choice}>
      <legend className="visually-hidden">{T.strategy}</legend>
      {strategies.map(({ id, name, description, riskLevel, expectedYield }) => {
        const isOpen = limits.find(({ strategyId }) => strategyId === id)?.available;
        return (
          <label key={id}>
            <input
              type="radio"
              name="strategy"
              value={id}
              checked={id === chosen}
              onChange={() => onChoose(id)}
            />
            <span>
              <strong>{name}</strong>
              <span>{strategyText(description)}</span>
              <span>{T.target(formatPercent(expectedYield))}</span>
              <Status status={RISK_COLOURS[riskLevel]}>{T[riskLevel]}</Status>{' '}
              {!isOpen && <Status status="paused">{T.suspended}</Status>}
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}

/** The statuses whose colours the levels of risk have: green, yellow and red. */
const RISK_COLOURS = { low: 'completed', medium: 'pending', high: 'failed' } as const;

/** The terms of the strategy, and what the amount would earn in a year at the target. */
function Terms({
  terms,
  strategy,
  amount,
}: {
  terms: StrategyLimitsResponse;
  strategy: StrategyResponse;
  amount: string | undefined;
}) {
  const { minimum, maximum, lockDays, managementFeePercent, performanceFeePercent } = terms;
  return (
    <Facts
      of={[
        [T.minimum, <Money amount={minimum} />],
        [T.maximum, <Money amount={maximum} />],
        [T.lock, lockDays > 0 ? T.lockDays(lockDays) : T.noLock],
        [T.fees, T.feeText(formatPercent(managementFeePercent), formatPercent(performanceFeePercent))],
        [T.yearly, amount !== undefined && <Money amount={percentOf(amount, strategy.expectedYield)} />],
      ]}
    />
  );
}

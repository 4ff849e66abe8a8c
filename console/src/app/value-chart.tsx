import { toPixelNumber } from '../ui/decimal.ts';
import { formatDay, formatMoney, locale } from '../ui/format.ts';
import { inLanguage } from '../ui/language.ts';
import styles from './app.module.css';
import { formatShortDay } from './format.ts';
import { Money } from './parts.tsx';

const T = inLanguage({
  table: ['As a table', 'Als Tabelle'],
  day: ['Day', 'Tag'],
  total: ['Value', 'Wert'],
  invested: ['Invested', 'Angelegt'],
  available: ['Available', 'Verfügbar'],
  label: [
    (from: string, to: string, first: string, last: string) =>
      `Value from ${from} to ${to}: from ${first} to ${last} USDC`,
    (from: string, to: string, first: string, last: string) =>
      `Wert vom ${from} bis ${to}: von ${first} auf ${last} USDC`,
  ],
});

export interface ValueOfDay {
  date: string;
  total: string;
  available: string;
  invested: string;
}

const WIDTH = 720;
const HEIGHT = 220;
const LEFT = 64;
const BOTTOM = 24;

/** The steps of the value axis: three to six round numbers from zero to at least `highest`. */
function axisSteps(highest: number): number[] {
  if (highest <= 0) return [0];
  const power = 10 ** Math.floor(Math.log10(highest));
  const step =
    [0.2, 0.25, 0.5, 1, 2].map((factor) => factor * power).find((size) => highest / size <= 5) ?? power;
  const count = Math.ceil(highest / step);
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

/** Value over time as lines of a drawing, and the same numbers as a table. Drawing rounds; the table does not. */
export function ValueChart({ days }: { days: ValueOfDay[] }) {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return null;
  const values = days.map(({ total }) => toPixelNumber(total));
  const steps = axisSteps(Math.max(...values));
  const top = steps.at(-1) || 1;
  const x = (index: number) => LEFT + (index / Math.max(1, days.length - 1)) * (WIDTH - LEFT - 8);
  const y = (value: number) => 8 + (1 - value / top) * (HEIGHT - BOTTOM - 8);
  const line = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  const label = T.label(
    formatDay(first.date),
    formatDay(last.date),
    formatMoney(first.total),
    formatMoney(last.total),
  );
  const marks = [0, Math.floor((days.length - 1) / 2), days.length - 1];
  return (
    <>
      <svg className={styles.chart} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
        {steps.map((step) => (
          <g key={step}>
            <line className={styles.chartGrid} x1={LEFT} x2={WIDTH - 8} y1={y(step)} y2={y(step)} />
            <text x={LEFT - 8} y={y(step) + 4} textAnchor="end">
              {compact.format(step)}
            </text>
          </g>
        ))}
        <polygon
          className={styles.chartArea}
          points={`${LEFT},${y(0)} ${line} ${x(days.length - 1)},${y(0)}`}
        />
        <polyline className={styles.chartLine} points={line} />
        {[...new Set(marks)].map((index, place, all) => (
          <text
            key={index}
            x={x(index)}
            y={HEIGHT - 4}
            textAnchor={place === 0 ? 'start' : place === all.length - 1 ? 'end' : 'middle'}
          >
            {formatShortDay(days[index]?.date ?? '')}
          </text>
        ))}
      </svg>
      <details className={styles.details}>
        <summary>{T.table}</summary>
        <div className={styles.scroll} tabIndex={0} role="region" aria-label={T.table}>
          <table aria-label={T.table} className={styles.table}>
            <thead>
              <tr>
                <th scope="col">{T.day}</th>
                <th scope="col" className={styles.number}>
                  {T.total}
                </th>
                <th scope="col" className={styles.number}>
                  {T.available}
                </th>
                <th scope="col" className={styles.number}>
                  {T.invested}
                </th>
              </tr>
            </thead>
            <tbody>
              {days.toReversed().map(({ date, total, available, invested }) => (
                <tr key={date}>
                  <td data-label={T.day}>{formatDay(date)}</td>
                  {(
                    [
                      [T.total, total],
                      [T.available, available],
                      [T.invested, invested],
                    ] as const
                  ).map(([name, amount]) => (
                    <td key={name} data-label={name} className={styles.number}>
                      <div>
                        <Money amount={amount} />
                      </div>
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}

const compact = new Intl.NumberFormat(locale, { notation: 'compact' });

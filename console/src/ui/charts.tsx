import { useState, type ReactNode } from 'react';
import { Button } from '@mantine/core';
import { formatDay, formatPercent } from './format.ts';
import { inLanguage } from './language.ts';
import './charts.css';

const T = inLanguage({
  asTable: ['As a table', 'Als Tabelle'],
  asChart: ['As a chart', 'Als Diagramm'],
  day: ['Day', 'Tag'],
});

const WIDTH = 560;
const HEIGHT = 180;
const PAD = { left: 8, right: 8, top: 24, bottom: 28 };

export interface Point {
  /** A UTC day. */
  readonly day: string;
  /** The value as the table and the labels show it. */
  readonly text: string;
  /** The value as a rounded number, for the height of the drawing only. */
  readonly height: number;
}

interface ChartProps {
  title: string;
  valueName: string;
  points: readonly Point[];
  kind: 'line' | 'bars';
}

/** A chart over days, which can also be read as a table. */
export function Chart({ title, valueName, points, kind }: ChartProps) {
  return (
    <Figure
      title={title}
      chart={<Plot title={title} points={points} kind={kind} />}
      table={points.map(({ day, text }) => [formatDay(day), text])}
      columns={[T.day, valueName]}
    />
  );
}

interface FigureProps {
  title: string;
  chart: ReactNode;
  columns: readonly [string, string];
  table: readonly (readonly [string, string])[];
}

export function Figure({ title, chart, columns, table }: FigureProps) {
  const [isTable, setTable] = useState(false);
  return (
    <section className="figure">
      <div className="figure-head">
        <h2>{title}</h2>
        <Button size="compact-xs" variant="default" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? T.asChart : T.asTable}
        </Button>
      </div>
      {isTable ? (
        <div className="figure-table" tabIndex={0} role="region" aria-label={title}>
          <table className="table">
            <thead>
              <tr>
                <th scope="col">{columns[0]}</th>
                <th scope="col" className="right">
                  {columns[1]}
                </th>
              </tr>
            </thead>
            <tbody>
              {table.map(([name, value]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td className="right">{value}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        chart
      )}
    </section>
  );
}

function Plot({ title, points, kind }: Pick<ChartProps, 'title' | 'points' | 'kind'>) {
  const highest = Math.max(...points.map(({ height }) => height), 0) || 1;
  const highestText = points.find(({ height }) => height === highest)?.text;
  const innerWidth = WIDTH - PAD.left - PAD.right;
  const innerHeight = HEIGHT - PAD.top - PAD.bottom;
  const step = innerWidth / Math.max(1, kind === 'line' ? points.length - 1 : points.length);
  const x = (index: number) => PAD.left + index * step;
  const y = (height: number) => PAD.top + innerHeight * (1 - height / highest);
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return null;
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`${title}: ${pointText(first)}, ${pointText(last)}`}
    >
      {(highestText ? [0, highest] : [0]).map((height) => (
        <line
          key={height}
          className="axis"
          x1={PAD.left}
          x2={WIDTH - PAD.right}
          y1={y(height)}
          y2={y(height)}
        />
      ))}
      <text x={PAD.left} y={PAD.top - 6}>
        {highestText}
      </text>
      {kind === 'line' ? (
        <polyline
          className="line"
          points={points.map(({ height }, index) => `${x(index)},${y(height)}`).join(' ')}
        />
      ) : (
        points.map(({ day, text, height }, index) => (
          <rect
            key={day}
            className="bar"
            x={x(index) + step * 0.1}
            width={step * 0.8}
            y={y(height)}
            height={y(0) - y(height)}
          >
            <title>{pointText({ day, text, height })}</title>
          </rect>
        ))
      )}
      <text x={PAD.left} y={HEIGHT - 6}>
        {pointText(first)}
      </text>
      <text x={WIDTH - PAD.right} y={HEIGHT - 6} textAnchor="end">
        {pointText(last)}
      </text>
    </svg>
  );
}

const pointText = ({ day, text }: Point) => `${formatDay(day)}: ${text}`;

interface SharesProps {
  title: string;
  columns: readonly [string, string];
  shares: readonly { name: string; text: string; percent: number }[];
}

/** Shares of a whole as horizontal bars. */
export function Shares({ title, columns, shares }: SharesProps) {
  const bars = (
    <ul className="shares">
      {shares.map(({ name, text, percent }) => (
        <li key={name}>
          <span>{name}</span>
          <span className="share-value">
            {text} · {formatPercent(percent)}
          </span>
          <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden>
            <rect className="track" width="100" height="4" />
            <rect className="bar" width={percent} height="4" />
          </svg>
        </li>
      ))}
    </ul>
  );
  return (
    <Figure
      title={title}
      chart={bars}
      columns={columns}
      table={shares.map(({ name, text }) => [name, text])}
    />
  );
}

import type { ReactNode } from 'react';
import './charts.css';

/** Figures at a glance: their names and values. */
export function Tiles({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="tiles">
      {of.map(([name, value]) => (
        <div className="tile" key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

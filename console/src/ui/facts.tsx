import type { ReactNode } from 'react';
import { visibleText } from './format.ts';

/** Names with their values; those without a value are left out. Invisible characters in texts are shown as codes. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="facts">
      {of
        .filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{typeof value === 'string' ? visibleText(value) : value}</dd>
          </div>
        ))}
    </dl>
  );
}

import { Column, PrimaryColumn } from 'typeorm';

const asNumber = {
  from: (stored: string | null): number | null => (stored === null ? null : Number(stored)),
  to: (value: number | null): number | null => value,
};

/** A `bigint` column for values that a JavaScript number holds exactly, such as block numbers. */
export function BigintColumn(options: { name?: string; nullable?: boolean } = {}): PropertyDecorator {
  return Column({ type: 'bigint', transformer: asNumber, ...options });
}

export function PrimaryBigintColumn(options: { name?: string } = {}): PropertyDecorator {
  return PrimaryColumn({ type: 'bigint', transformer: asNumber, ...options });
}

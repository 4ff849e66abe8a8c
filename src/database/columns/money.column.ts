import { Column } from 'typeorm';
import { Money } from '../../common/money.js';

const asMoney = {
  from: (stored: string | null): Money | null => (stored === null ? null : Money.of(stored)),
  to: (money: Money | null | undefined): string | null | undefined => (money ? money.toString() : money),
};

/** A `numeric` column that is Money in the program and never a float on the way. */
export function MoneyColumn(options: { name: string; nullable?: boolean }): PropertyDecorator {
  return Column({ type: 'numeric', transformer: asMoney, ...options });
}

/** What the driver returns for the fields of a row: money is text. */
export type Stored<Row> = { [Field in keyof Row]: Row[Field] extends Money ? string : Row[Field] };

import { Button, TextInput } from '@mantine/core';
import { smallest } from '../ui/decimal.ts';
import { inLanguage } from '../ui/language.ts';
import { toTyped } from '../ui/typed-decimal.ts';
import { formatSum } from './format.ts';

const T = inLanguage({
  amount: ['Amount in USDC', 'Betrag in USDC'],
  available: ['Available', 'Verfügbar'],
  most: ['Use the largest amount', 'Höchsten Betrag verwenden'],
});

interface AmountFieldProps {
  available: string;
  /** The largest amount that the limits permit; it can be more than `available`. */
  limit: string;
  value: string;
  onChange: (typed: string) => void;
}

/** The amount of an investment or a withdrawal, as it is typed. */
export function AmountField({ available, limit, value, onChange }: AmountFieldProps) {
  return (
    <>
      <TextInput
        label={T.amount}
        description={`${T.available}: ${formatSum(available)}`}
        inputMode="decimal"
        autoComplete="off"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <div>
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => onChange(toTyped(smallest(available, limit)))}
        >
          {T.most}
        </Button>
      </div>
    </>
  );
}

import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';

/** The width of a text field in characters, unless its placeholder is longer. */
const PLACES = 20;

interface FilterFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** The choices with their titles; without them the filter is a text or a UTC day. */
  choices?: Readonly<Record<string, string>> | undefined;
  type?: 'date' | undefined;
  placeholder?: string | undefined;
  /** The field that the key `f` leads to. */
  isFirst?: boolean;
}

/** A filter of a list. A text is applied with Enter or when the field is left, not while somebody types. */
export function FilterField({ isFirst = false, ...props }: FilterFieldProps) {
  const { label, value, onChange, choices, type } = props;
  const shared = { size: 'xs', label, ...(isFirst ? { 'data-filter': true } : {}) };
  const entered = {
    ...{ ...shared, value },
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  };
  if (choices) {
    const data = Object.entries(choices).map(([choice, title]) => ({ value: choice, label: title }));
    return <NativeSelect {...entered} data={data} />;
  }
  return type === 'date' ? <TextInput {...entered} type="date" /> : <TextFilter {...props} shared={shared} />;
}

function TextFilter({ value, onChange, placeholder, shared }: FilterFieldProps & { shared: object }) {
  const [typed, setTyped] = useState({ text: value, applied: value });
  if (typed.applied !== value) setTyped({ text: value, applied: value }); // the address was changed elsewhere, such as by the browser's back button
  const apply = () => {
    const text = typed.text.trim();
    if (text !== value) onChange(text);
  };
  return (
    <TextInput
      {...shared}
      {...(placeholder ? { placeholder, htmlSize: Math.max(PLACES, placeholder.length) } : {})}
      value={typed.text}
      onChange={(event) => setTyped({ text: event.currentTarget.value, applied: value })}
      onBlur={apply}
      onKeyDown={(event) => event.key === 'Enter' && apply()}
    />
  );
}

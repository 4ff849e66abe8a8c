import { Textarea } from '@mantine/core';

interface ReasonFieldProps {
  label: string;
  description?: string;
  value: string;
  onChange: (value: string) => void;
}

/** A text of some sentences. Enter confirms as in every dialog; Shift and Enter begin a new line. */
export function ReasonField({ label, description, value, onChange }: ReasonFieldProps) {
  return (
    <Textarea
      label={label}
      description={description}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
        event.preventDefault();
        event.currentTarget.form?.requestSubmit();
      }}
      rows={3}
      data-autofocus
    />
  );
}

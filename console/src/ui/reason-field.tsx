import { Textarea } from '@mantine/core';

/** The length of a reason or a note that the routes accept. */
const MAX_CHARACTERS = 500;
const LINE_BREAKS = /\s*[\n\r\u2028\u2029]\s*/g;

interface ReasonFieldProps {
  label: string;
  description?: string;
  value: string;
  onChange: (value: string) => void;
  /** False if another field comes first. */
  isFirst?: boolean;
}

/** A reason. Line breaks become spaces, because most routes accept one line only. Enter submits the form, as in every dialog. */
export function ReasonField({ label, description, value, onChange, isFirst = true }: ReasonFieldProps) {
  return (
    <Textarea
      label={label}
      description={description}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value.replace(LINE_BREAKS, ' '))}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
        event.preventDefault();
        event.currentTarget.form?.requestSubmit();
      }}
      rows={3}
      maxLength={MAX_CHARACTERS}
      {...(isFirst ? { 'data-autofocus': true } : {})}
    />
  );
}

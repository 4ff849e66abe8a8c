import { Input, NativeSelect, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { isPositive } from '../../ui/decimal.ts';
import { inLanguage } from '../../ui/language.ts';
import { ReasonField } from '../../ui/reason-field.tsx';
import { isTxHash } from '../../ui/tx-hash.ts';
import { parseTyped } from '../../ui/typed-decimal.ts';

const T = inLanguage({
  missing: [(label: string) => `Enter: ${label}.`, (label: string) => `Geben Sie ein: ${label}.`],
  file: [(label: string) => `Choose: ${label}.`, (label: string) => `Wählen Sie: ${label}.`],
  amount: [
    'Enter an amount above zero, with a point and at most six decimals.',
    'Geben Sie einen Betrag über null ein, mit Komma und höchstens sechs Nachkommastellen.',
  ],
  hash: [
    'Enter the hash: 64 hex digits, with or without 0x.',
    'Geben Sie den Hash ein: 64 Hexadezimalziffern, mit oder ohne 0x.',
  ],
});

export type Values = Readonly<Record<string, string>>;

export interface Field {
  name: string;
  label: string;
  kind: 'text' | 'reason' | 'hash' | 'amount' | 'date' | 'choice' | 'file';
  description?: string;
  isOptional?: boolean;
  initial?: string;
  /** The values of a field of the kind `choice`, with their titles. */
  choices?: Readonly<Record<string, string>>;
}

interface DeskDialogProps {
  title: string;
  effect: string | ((values: Values) => string);
  label: string;
  isDangerous?: boolean;
  facts?: ReactNode;
  fields?: readonly Field[] | ((values: Values) => readonly Field[]);
  /** Receives the entered values without the empty ones; amounts have a decimal point in both languages. */
  confirm: (values: Values) => Promise<void>;
  onClose: () => void;
}

/** A dialog with the input fields of an action, which confirms it. */
export function DeskDialog(props: DeskDialogProps) {
  const { title, effect, label, isDangerous, facts, confirm, onClose } = props;
  const [typed, setTyped] = useState<Values>({});
  const fields = fieldsOf(props.fields, typed);
  const valueOf = ({ name, initial, choices }: Field) =>
    typed[name] ?? initial ?? (choices ? (Object.keys(choices)[0] ?? '') : '');
  const values = Object.fromEntries(
    fields.flatMap((field) => {
      const text = valueOf(field).trim();
      const value = field.kind === 'amount' ? (parseTyped(text) ?? '') : text;
      return value === '' ? [] : [[field.name, value]];
    }),
  );
  const problems = fields.flatMap((field) => problemOf(field, valueOf(field).trim()) ?? []);
  return (
    <ActionDialog
      title={title}
      effect={typeof effect === 'string' ? effect : effect(values)}
      confirm={label}
      {...(isDangerous ? { isDangerous } : {})}
      blocked={problems[0]}
      onConfirm={() => confirm(values)}
      onClose={onClose}
    >
      {(facts !== undefined || fields.length > 0) && (
        <>
          {facts}
          {fields.map((field, index) => (
            <FieldInput
              key={field.name}
              field={field}
              isFirst={index === 0}
              value={valueOf(field)}
              onChange={(value) => setTyped((before) => ({ ...before, [field.name]: value }))}
            />
          ))}
        </>
      )}
    </ActionDialog>
  );
}

const fieldsOf = (fields: DeskDialogProps['fields'], values: Values): readonly Field[] =>
  typeof fields === 'function' ? fields(values) : (fields ?? []);

function problemOf({ kind, label, isOptional }: Field, text: string): string | undefined {
  if (text === '') return isOptional ? undefined : kind === 'file' ? T.file(label) : T.missing(label);
  if (kind === 'hash' && !isTxHash(text)) return T.hash;
  if (kind !== 'amount') return undefined;
  const amount = parseTyped(text);
  return amount !== undefined && isPositive(amount) ? undefined : T.amount;
}

interface FieldInputProps {
  field: Field;
  isFirst: boolean;
  value: string;
  onChange: (value: string) => void;
}

function FieldInput({ field, isFirst, value, onChange }: FieldInputProps) {
  const { kind, label, description, choices } = field;
  const shared = { label, ...(description ? { description } : {}) };
  const entered = {
    ...shared,
    value,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
    ...(isFirst ? { 'data-autofocus': true } : {}),
  };
  if (kind === 'reason')
    return <ReasonField {...shared} value={value} onChange={onChange} isFirst={isFirst} />;
  if (kind === 'file') return <FileInput {...shared} onChange={onChange} isFirst={isFirst} />;
  if (choices) {
    const data = Object.entries(choices).map(([choice, title]) => ({ value: choice, label: title }));
    return <NativeSelect {...entered} data={data} />;
  }
  return (
    <TextInput
      {...entered}
      type={kind === 'date' ? 'date' : 'text'}
      {...(kind === 'amount' ? { inputMode: 'decimal' as const } : {})}
      autoComplete="off"
      spellCheck={false}
    />
  );
}

/** An input whose value is the text of the chosen file. */
function FileInput({
  label,
  description,
  onChange,
  isFirst,
}: {
  label: string;
  description?: string;
  onChange: (text: string) => void;
  isFirst: boolean;
}) {
  const read = async (file: File | undefined) => onChange(file ? await file.text() : '');
  return (
    <Input.Wrapper label={label} description={description} id="file">
      <input
        id="file"
        type="file"
        accept=".csv,text/csv"
        {...(isFirst ? { 'data-autofocus': true } : {})}
        onChange={(event) => void read(event.currentTarget.files?.[0])}
      />
    </Input.Wrapper>
  );
}

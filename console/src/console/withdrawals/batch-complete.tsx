import { Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useRead } from '../../api/use-read.ts';
import { BATCH_LIMIT, completeWithdrawals, type Payment } from '../../api/withdrawal-batches.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { add } from '../../ui/decimal.ts';
import { formatExactMoney } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { isTxHash } from '../../ui/tx-hash.ts';
import { BatchRow, BatchStatus, type BatchItem } from './batch-item.tsx';
import { readPaymentLines } from './payment-lines.ts';
import { afterBatch, refusalOf, useBatch } from './use-batch.ts';

const T = inLanguage({
  title: ['Enter payments', 'Zahlungen eintragen'],
  effect: [
    'Each withdrawal is booked as paid with its hash, and the service compares each transaction with the chain. This cannot be undone.',
    'Jede Auszahlung wird mit ihrem Hash als gezahlt gebucht, und der Dienst vergleicht jede Transaktion mit der Chain. Das lässt sich nicht rückgängig machen.',
  ],
  lines: ['Lines with id and hash', 'Zeilen mit Id und Hash'],
  linesMeaning: [
    'As the custody provider exports them: each line has the id of a withdrawal and the hash of its payment; other columns are ignored.',
    'Wie die Verwahrstelle sie exportiert: jede Zeile hat die Id einer Auszahlung und den Hash ihrer Zahlung; andere Spalten werden übergangen.',
  ],
  unread: [
    (lines: string) => `Not read, without one id and one hash: line ${lines}`,
    (lines: string) => `Nicht gelesen, ohne genau eine Id und einen Hash: Zeile ${lines}`,
  ],
  payments: ['Payments', 'Zahlungen'],
  hash: [(name: string) => `Hash: ${name}`, (name: string) => `Hash: ${name}`],
  malformed: [
    'A hash has 64 hex digits, with or without 0x.',
    'Ein Hash hat 64 Hexadezimalziffern, mit oder ohne 0x.',
  ],
  none: ['Enter at least one hash.', 'Tragen Sie mindestens einen Hash ein.'],
  tooMany: [`At most ${BATCH_LIMIT} at once.`, `Höchstens ${BATCH_LIMIT} auf einmal.`],
  complete: [(count: number) => `Complete ${count}`, (count: number) => `${count} abschließen`],
  summary: [
    (count: number, sum: string, others: number) =>
      `Payments: ${count}, together ${sum} USDC. Without a hash, left as they are: ${others}.`,
    (count: number, sum: string, others: number) =>
      `Zahlungen: ${count}, zusammen ${sum} USDC. Ohne Hash, bleiben unverändert: ${others}.`,
  ],
  unknown: [
    'You have not taken it, and this page does not show it: check the id.',
    'Sie haben sie nicht übernommen, und diese Seite zeigt sie nicht: Prüfen Sie die Id.',
  ],
});

interface BatchCompleteProps {
  selected: readonly BatchItem[];
  onChanged: (ids: readonly string[]) => void;
  onClose: () => void;
}

/** Asks for the hashes of several payments, in fields or as pasted lines. A hash typed into a field replaces that of the line. */
export function BatchComplete({ selected, onChanged, onClose }: BatchCompleteProps) {
  const [text, setText] = useState('');
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const { outcomes, sentCount, send } = useBatch(onChanged);
  const { data: taken } = useRead('GET /api/admin/withdrawals/payment-file');
  const { hashes, unread } = readPaymentLines(text);

  const known = new Map<string, BatchItem>(selected.map((item) => [item.id, item]));
  for (const { toAddress: address, ...line } of taken?.data ?? [])
    if (!known.has(line.id)) known.set(line.id, { ...line, address });
  const ids = [...new Set([...selected.map(({ id }) => id), ...hashes.keys()])];
  const items = ids.map((id) => known.get(id) ?? { id });
  const hashOf = (id: string) => (typed[id] ?? hashes.get(id) ?? '').trim();
  const open = ids.filter((id) => outcomes.get(id) !== 'done');
  const payments: Payment[] = open.filter(hashOf).map((id) => ({ id, txHash: hashOf(id) }));
  const sum = payments.reduce((total, { id }) => add(total, known.get(id)?.amount ?? '0'), '0');
  const confirm = async () => afterBatch(await send(payments, (key) => completeWithdrawals(payments, key)));
  return (
    <ActionDialog
      title={T.title}
      effect={T.effect}
      confirm={T.complete(payments.length)}
      blocked={problemOf(payments)}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Textarea
        label={T.lines}
        description={T.linesMeaning}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        rows={4}
        spellCheck={false}
        data-autofocus
      />
      {items.length > 0 && (
        <ul className="batch" aria-label={T.payments}>
          {items.map((item) => (
            <BatchRow key={item.id} item={item} outcome={outcomes.get(item.id)}>
              {taken && !taken.hasMore && !known.has(item.id) && (
                <Text size="sm" c="dimmed">
                  {T.unknown}
                </Text>
              )}
              <HashField
                label={T.hash(nameOf(item))}
                value={hashOf(item.id)}
                refusal={refusalOf(outcomes.get(item.id))}
                onChange={(hash) => setTyped((before) => ({ ...before, [item.id]: hash }))}
              />
            </BatchRow>
          ))}
        </ul>
      )}
      <BatchStatus outcomes={outcomes} sentCount={sentCount}>
        {unread.length > 0 && <div>{T.unread(unread.join(', '))}</div>}
        <div>{T.summary(payments.length, formatExactMoney(sum), open.length - payments.length)}</div>
      </BatchStatus>
    </ActionDialog>
  );
}

const nameOf = ({ id, userEmail, amount }: BatchItem): string =>
  userEmail && amount ? `${userEmail}, ${formatExactMoney(amount)}` : id;

function problemOf(payments: readonly Payment[]): string | undefined {
  if (payments.length === 0) return T.none;
  if (payments.length > BATCH_LIMIT) return T.tooMany;
  return payments.every(({ txHash }) => isTxHash(txHash)) ? undefined : T.malformed;
}

interface HashFieldProps {
  label: string;
  value: string;
  refusal: string | undefined;
  onChange: (hash: string) => void;
}

function HashField({ label, value, refusal, onChange }: HashFieldProps) {
  return (
    <TextInput
      size="xs"
      aria-label={label}
      placeholder="0x…"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={value !== '' && !isTxHash(value) ? T.malformed : refusal}
      autoComplete="off"
      spellCheck={false}
    />
  );
}

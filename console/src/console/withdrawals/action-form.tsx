import { Button, Checkbox, TextInput } from '@mantine/core';
import '@mantine/core/styles/Checkbox.css';
import '@mantine/core/styles/InlineInput.css';
import { useState } from 'react';
import { hasCode } from '../../api/client.ts';
import { useIntent } from '../../api/intents.ts';
import { payTestWithdrawal } from '../../api/sandbox.ts';
import { isSandbox } from '../../api/sign-in.ts';
import {
  acceptScreening,
  approveWithdrawal,
  completeWithdrawal,
  failWithdrawal,
  rejectWithdrawal,
  releaseWithdrawal,
  returnWithdrawal,
  type Outcome,
  type QueuedWithdrawal,
  type Withdrawal,
  type WithdrawalDetail,
} from '../../api/withdrawals.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { inLanguage } from '../../ui/language.ts';
import { Grouped, Money } from '../../ui/values.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ReasonField } from '../../ui/reason-field.tsx';
import { isTxHash } from '../../ui/tx-hash.ts';
import type { ActionName } from './actions.ts';
import { ACTION, EFFECT } from './texts.ts';

const T = inLanguage({
  hash: ['Hash of the transfer', 'Hash der Überweisung'],
  hashMeaning: ['64 hex digits, with or without 0x', '64 Hexadezimalziffern, mit oder ohne 0x'],
  hashWrong: ['A hash has 64 hex digits.', 'Ein Hash hat 64 Hexadezimalziffern.'],
  hashMissing: ['Enter the hash of the transfer.', 'Geben Sie den Hash der Überweisung ein.'],
  shared: [
    'The transaction contains several transfers, and another record has its hash',
    'Die Transaktion enthält mehrere Überweisungen, und ein anderer Vorgang hat ihren Hash',
  ],
  note: ['Note (optional)', 'Notiz (freiwillig)'],
  reason: ['Reason', 'Grund'],
  reasonForUser: ['The user reads it.', 'Der Nutzer liest ihn.'],
  reasonForAdmins: ['Other admins read it.', 'Andere Admins lesen ihn.'],
  reasonForAdmin: ['The second admin reads it.', 'Der zweite Admin liest ihn.'],
  reasonMissing: ['Enter the reason.', 'Geben Sie den Grund ein.'],
  amount: ['Amount', 'Betrag'],
  address: ['To', 'An'],
  user: ['User', 'Nutzer'],
  testPayment: [
    'Sandbox: pay it with test money, and enter the hash',
    'Sandbox: mit Testgeld zahlen und den Hash eintragen',
  ],
});

const REASON_READERS: Partial<Record<ActionName, string>> = {
  reject: T.reasonForUser,
  fail: T.reasonForAdmins,
  return: T.reasonForAdmins,
  release: T.reasonForAdmin,
  accept: T.reasonForAdmin,
};

interface ActionFormProps {
  name: ActionName;
  withdrawal: Withdrawal | QueuedWithdrawal | WithdrawalDetail;
  perform: (send: () => Promise<Outcome>) => Promise<void>;
  onClose: () => void;
}

/** Asks for what an action needs: the hash, a reason, or only the decision. */
export function ActionForm({ name, withdrawal, perform, onClose }: ActionFormProps) {
  const { id, amount, currency, destinationAddress, userEmail } = withdrawal;
  const [text, setText] = useState('');
  const [note, setNote] = useState('');
  const [isShared, setShared] = useState(false);
  const [isHashTaken, setHashTaken] = useState(false);
  const intent = useIntent();
  const isHash = name === 'complete';
  const entered = text.trim();

  const send = (key: string): Promise<Outcome> => {
    if (name === 'release') return releaseWithdrawal(id, entered);
    if (name === 'accept') return acceptScreening(id, entered);
    if (name === 'approve') return approveWithdrawal(id, key);
    if (name === 'reject') return rejectWithdrawal(id, entered, key);
    if (name === 'fail') return failWithdrawal(id, entered, key);
    if (name === 'return') return returnWithdrawal(id, entered, key);
    const body = {
      txHash: entered,
      ...(note.trim() ? { note: note.trim() } : {}),
      ...(isShared ? { allowSharedTxHash: true } : {}),
    };
    return completeWithdrawal(id, body, key);
  };
  const confirm = () =>
    perform(() => intent({ name, id, entered, note, isShared }, send)).catch((error: unknown) => {
      setHashTaken(hasCode(error, 'DUPLICATE_TX_HASH'));
      throw error;
    });
  return (
    <ActionDialog
      title={ACTION[name]}
      effect={EFFECT[name]}
      confirm={ACTION[name]}
      isDangerous={name === 'reject' || name === 'fail'}
      blocked={problemOf(name, entered)}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Facts
        of={[
          [T.amount, <Money key="amount" amount={amount} currency={currency} isExact />],
          [T.address, <Grouped key="address" value={destinationAddress} label={T.address} />],
          [T.user, userEmail],
        ]}
      />
      {isHash && (
        <>
          <TextInput
            label={T.hash}
            description={T.hashMeaning}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
          {isSandbox && (
            <TestPayment
              to={destinationAddress}
              amount={amount}
              isPaid={isTxHash(entered)}
              onPaid={setText}
            />
          )}
          {isHashTaken && (
            <Checkbox
              label={T.shared}
              checked={isShared}
              onChange={(event) => setShared(event.currentTarget.checked)}
            />
          )}
          <TextInput label={T.note} value={note} onChange={(event) => setNote(event.currentTarget.value)} />
        </>
      )}
      {!isHash && name !== 'approve' && (
        <ReasonField label={T.reason} description={REASON_READERS[name]} value={text} onChange={setText} />
      )}
    </ActionDialog>
  );
}

/** Why the action is not possible with the entered hash or reason. */
function problemOf(name: ActionName, entered: string): string | undefined {
  if (name === 'approve') return undefined;
  if (name !== 'complete') return entered === '' ? T.reasonMissing : undefined;
  if (entered === '') return T.hashMissing;
  return isTxHash(entered) ? undefined : T.hashWrong;
}

interface TestPaymentProps {
  to: string;
  amount: string;
  isPaid: boolean;
  onPaid: (txHash: string) => void;
}

/** Pays with test money, because the sandbox has no page of a custody provider on which an operator could pay. */
function TestPayment({ to, amount, isPaid, onPaid }: TestPaymentProps) {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  const pay = () => {
    setRunning(true);
    payTestWithdrawal(to, amount)
      .then(({ txHash }) => onPaid(txHash), setError)
      .finally(() => setRunning(false));
  };
  return (
    <>
      <div>
        <Button
          size="xs"
          variant="default"
          className="wrapping"
          disabled={isPaid}
          loading={isRunning}
          onClick={pay}
        >
          {T.testPayment}
        </Button>
      </div>
      {error !== undefined && <Failure error={error} />}
    </>
  );
}

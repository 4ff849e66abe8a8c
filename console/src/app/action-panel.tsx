import { Alert, Button } from '@mantine/core';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { ActionDialog } from '../ui/action-dialog.tsx';
import styles from './app.module.css';
import type { Action } from './intent.ts';
import { Failure } from './parts.tsx';

interface ActionPanelProps<Result> {
  /** What the button will do, in one sentence. */
  sentence?: ReactNode;
  /** Why the button is disabled; undefined or false if it is not. */
  disabledBecause?: string | false;
  label: string;
  /** True if the action cannot be undone: the button asks for a confirmation first. */
  asks?: boolean;
  color?: string;
  variant?: string;
  action: Action<Result>;
  onAct: () => unknown;
  /** What came of it. */
  outcome: (result: Result) => ReactNode;
}

/** A button with what it will do, why it is disabled, and what came of it. */
export function ActionPanel<Result>(props: ActionPanelProps<Result>) {
  const { sentence, disabledBecause, label, asks, color, variant, action, onAct, outcome } = props;
  const { state } = action;
  const isRunning = state.status === 'running';
  const [isAsked, setAsked] = useState(false);
  const panel = useRef<HTMLDivElement>(null);
  const hasRun = useRef(false);
  useEffect(() => {
    // A button that was disabled has lost the focus: the next Tab would begin at the top of the page.
    if (hasRun.current && !isRunning && document.activeElement === document.body)
      panel.current?.focus({ preventScroll: true });
    hasRun.current = isRunning;
  }, [isRunning]);
  return (
    <div className={styles.form} ref={panel} tabIndex={-1}>
      {sentence && !disabledBecause && <p className={styles.sentence}>{sentence}</p>}
      {disabledBecause && <p className={styles.hint}>{disabledBecause}</p>}
      <div>
        <Button
          color={color}
          variant={variant}
          disabled={Boolean(disabledBecause)}
          loading={isRunning}
          onClick={() => (asks ? setAsked(true) : void onAct())}
        >
          {label}
        </Button>
      </div>
      {isAsked && (
        <ActionDialog
          isDangerous
          title={label}
          effect={sentence}
          confirm={label}
          onConfirm={() => Promise.resolve(void onAct())}
          onClose={() => setAsked(false)}
        />
      )}
      <ActionOutcome action={action}>{outcome}</ActionOutcome>
    </div>
  );
}

export function ActionOutcome<Result>({
  action: { state, repetition },
  children,
}: {
  action: Action<Result>;
  children: (result: Result) => ReactNode;
}) {
  return (
    <div className={styles.outcome}>
      {state.status === 'failed' && <Failure error={state.error} repetition={repetition} />}
      {state.status === 'done' && (
        <Alert color="green" role="status">
          {children(state.result)}
        </Alert>
      )}
    </div>
  );
}

import { Button } from '@mantine/core';
import { useState } from 'react';
import { ActionDialog } from '../ui/action-dialog.tsx';

interface AskingButtonProps {
  label: string;
  /** What the question is called, and what confirms it; the label if it says enough. */
  question?: string;
  /** What the button will do, in one sentence. */
  sentence: string;
  onAct: () => unknown;
}

/** A button whose action cannot be undone: it asks first. A second factor is asked for, and the outcome shows, after the question. */
export function AskingButton({ label, question = label, sentence, onAct }: AskingButtonProps) {
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`${label}: ${sentence}`}
        onClick={() => setAsked(true)}
      >
        {label}
      </Button>
      {isAsked && (
        <ActionDialog
          isDangerous
          title={question}
          effect={sentence}
          confirm={question}
          onConfirm={() => Promise.resolve(void onAct())}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}

import { Button } from '@mantine/core';
import { useState } from 'react';
import { ActionDialog } from '../ui/action-dialog.tsx';

interface AskingButtonProps {
  label: string;
  /** Title of the dialog and text of the button in it that confirms; by default the label. */
  question?: string;
  /** What the button will do, in one sentence. */
  sentence: string;
  onAct: () => unknown;
}

/**
 * A button whose action cannot be undone: it opens a dialog that asks for a confirmation. The dialog closes when the action begins, and
 * the page shows the request for a second factor and the outcome.
 */
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

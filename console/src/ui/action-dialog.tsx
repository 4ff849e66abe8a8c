import { Button, Group, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';
import { inLanguage } from './language.ts';

/** Not “Cancel”, which is also what some of the actions do. */
const T = inLanguage({ back: ['Back', 'Zurück'] });

interface ActionDialogProps {
  title: string;
  /** What the action will do, in one sentence. */
  effect: ReactNode;
  confirm: string;
  isDangerous?: boolean;
  /** Why the action is not possible as the fields stand. */
  blocked?: string | undefined;
  children?: ReactNode;
  /** The dialog closes when the promise resolves, unless with `stays-open`. If it rejects, the dialog stays open and shows the error. */
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Asks before an action, shows why it is refused, and closes after it. Enter confirms. */
export function ActionDialog(props: ActionDialogProps) {
  const { title, effect, confirm, isDangerous, blocked, children, onConfirm, onClose } = props;
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = async () => {
    if (isRunning || blocked) return;
    setRunning(true);
    setError(undefined);
    try {
      if ((await onConfirm()) !== 'stays-open') onClose();
    } catch (caught) {
      setError(caught);
    } finally {
      setRunning(false);
    }
  };
  /** The dialog cannot be closed while its request runs, because the outcome is not known yet. */
  const close = () => {
    if (!isRunning) onClose();
  };
  return (
    <Dialog title={title} onClose={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <Stack>
          <Text component="div">{effect}</Text>
          {children}
          {error !== undefined && <Failure error={error} />}
          {blocked && (
            <Text size="sm" c="dimmed" id="blocked">
              {blocked}
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {T.back}
            </Button>
            <Button
              type="submit"
              loading={isRunning}
              {...(isDangerous ? { color: 'red' } : {})}
              {...(blocked ? { 'aria-disabled': true, 'aria-describedby': 'blocked' } : {})}
              data-autofocus // an entry field with this attribute precedes the button and gets the focus instead
            >
              {confirm}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

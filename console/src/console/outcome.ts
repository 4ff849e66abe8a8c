import { notifications } from '@mantine/notifications';
import { inLanguage } from '../ui/language.ts';

const T = inLanguage({
  waiting: [
    'Waits for the approval of a second admin. Nothing has changed yet.',
    'Wartet auf die Freigabe eines zweiten Admins. Es hat sich noch nichts geändert.',
  ],
});

interface Message {
  title?: string;
  message: string;
  color: 'green' | 'yellow' | 'red';
  autoClose?: number | false;
}

/** The outcome of an action: it may wait for an approval, or have a message of its own; undefined if it is simply done. */
export type Outcome = { isWaiting: boolean } | Message | void;

/** Shows the outcome of an action: its own message, or that it waits for an approval, or otherwise the message `done`. */
export function showOutcome(done: string, outcome?: Outcome): void {
  if (outcome && 'message' in outcome) notifications.show({ autoClose: 8000, ...outcome });
  else if (outcome?.isWaiting) notifications.show({ color: 'yellow', message: T.waiting, autoClose: 8000 });
  else notifications.show({ color: 'green', message: done });
}

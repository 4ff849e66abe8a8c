import { notifications } from '@mantine/notifications';
import { isWaiting } from '../api/refused-state.ts';
import { inLanguage } from '../ui/language.ts';

const T = inLanguage({
  waiting: [
    'Waits for the approval of a second admin. Nothing has changed yet.',
    'Wartet auf die Freigabe eines zweiten Admins. Es hat sich noch nichts geändert.',
  ],
});

/** Shows what an action has led to: `done`, or that it waits, if the service has answered with an approval. */
export function showOutcome(answered: object, done: string): void {
  notifications.show(
    isWaiting(answered)
      ? { color: 'yellow', message: T.waiting, autoClose: 8000 }
      : { color: 'green', message: done },
  );
}

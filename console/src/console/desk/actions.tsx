import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useIntent } from '../../api/intents.ts';
import { refusedState } from '../../api/refused-state.ts';
import { inLanguage } from '../../ui/language.ts';
import { returnFocus } from '../../ui/return-focus.ts';
import { Shortcuts } from '../../ui/list-keys.tsx';
import { showOutcome, type Outcome } from '../outcome.ts';
import { codeName } from '../record-names.ts';
import { useAdmin } from '../session.ts';
import { DeskDialog, type Field, type Values } from './desk-dialog.tsx';

const T = inLanguage({
  lostTitle: ['A colleague was faster', 'Ein Kollege war schneller'],
  lost: [
    (by: string, state: string) =>
      `${by} has changed it; its state is now “${state}”. Nothing of yours was done.`,
    (by: string, state: string) =>
      `${by} hat das geändert; der Zustand ist jetzt „${state}“. Ihre Aktion wurde nicht ausgeführt.`,
  ],
  changedTitle: ['It was changed before', 'Es wurde vorher geändert'],
  changed: [
    (state: string) => `It was changed before; its state is now “${state}”.`,
    (state: string) => `Es wurde vorher geändert; der Zustand ist jetzt „${state}“.`,
  ],
});

export interface DeskAction {
  readonly name: string;
  readonly label: string;
  /** The record that the action changes, for screen readers, if the page has several buttons with this label. */
  readonly about?: string;
  /** What the action will do, in one sentence. */
  readonly effect: string | ((values: Values) => string);
  readonly done: string;
  /** Why the action is not possible now. */
  readonly blocked?: string | undefined;
  readonly isDangerous?: boolean;
  readonly fields?: readonly Field[] | ((values: Values) => readonly Field[]);
  /** The record, as the dialog repeats it. */
  readonly facts?: Parameters<typeof DeskDialog>[0]['facts'];
  /** Sends the request. A repetition after a lost response has the same key. */
  readonly send: (values: Values, idempotencyKey: string) => Promise<Outcome>;
}

interface ActionsProps {
  actions: readonly DeskAction[];
  /** The queries that the actions change. */
  areas: readonly string[];
  /** Who has changed the record last. */
  actorOf?: () => Promise<string | null | undefined>;
  /** Small buttons, for rows of tables. */
  isCompact?: boolean;
  /** Shows below the buttons why actions are not possible; by default unless `isCompact`. The titles of the buttons say it, too. */
  hasReasons?: boolean;
  /** The keyboard shortcuts of the actions, by the names of the actions. */
  keys?: Readonly<Record<string, string>>;
}

/** Buttons for the actions on a record. Each opens a dialog that asks for a confirmation; a notification then shows the outcome. */
export function Actions(props: ActionsProps) {
  const { actions, areas, actorOf, isCompact = false, hasReasons = !isCompact, keys = {} } = props;
  const [asked, setAsked] = useState<DeskAction>();
  const perform = usePerform(areas, actorOf);
  const ask = (action: DeskAction) => !action.blocked && setAsked(action);
  const reasons = hasReasons ? [...new Set(actions.flatMap(({ blocked }) => blocked ?? []))] : [];
  const shortcuts = actions.flatMap((action) => {
    const key = keys[action.name];
    return key ? [[key, action.label, () => ask(action)] as const] : [];
  });
  return (
    <>
      <Group gap="xs" {...(isCompact && reasons.length === 0 ? {} : { mb: 'xs' })}>
        {actions.map((action) => (
          <Button
            key={action.name}
            size={isCompact ? 'xs' : 'sm'}
            variant={action.blocked || action.isDangerous || isCompact ? 'default' : 'filled'}
            title={action.blocked ?? (typeof action.effect === 'string' ? action.effect : undefined)}
            {...(action.about ? { 'aria-label': `${action.label}: ${action.about}` } : {})}
            {...(action.blocked ? { 'aria-disabled': true } : {})}
            onClick={() => ask(action)}
          >
            {action.label}
          </Button>
        ))}
      </Group>
      {reasons.map((reason) => (
        <Text key={reason} size="sm" c="dimmed" mb="xs">
          {reason}
        </Text>
      ))}
      {asked && (
        <DeskDialog
          title={asked.label}
          {...asked}
          confirm={(values) => perform(asked, values)}
          onClose={() => setAsked((current) => (current === asked ? undefined : current))}
        />
      )}
      {shortcuts.length > 0 && <Shortcuts own={shortcuts} />}
    </>
  );
}

/** Sends an action, shows its outcome, and reads again what it has changed. */
function usePerform(areas: readonly string[], actorOf: ActionsProps['actorOf']) {
  const { email } = useAdmin();
  const queries = useQueryClient();
  const intent = useIntent();
  return async (action: DeskAction, values: Values) => {
    try {
      showOutcome(action.done, await intent([action.name, values], (key) => action.send(values, key)));
    } catch (error) {
      const state = refusedState(error);
      const by = state && (await actorOf?.().catch(() => undefined));
      if (!state || by === email) throw error;
      // If the actor is not known, the change can be this admin's own request, whose response was lost.
      const texts = by
        ? { title: T.lostTitle, message: T.lost(by, codeName(state)) }
        : { title: T.changedTitle, message: T.changed(codeName(state)) };
      notifications.show({ color: 'red', ...texts, autoClose: false });
    } finally {
      await Promise.all([...areas, 'queues'].map((area) => queries.invalidateQueries({ queryKey: [area] })));
      returnFocus();
    }
  };
}

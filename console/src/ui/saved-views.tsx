import { Button, CloseButton, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation } from 'react-router';
import { ActionDialog } from './action-dialog.tsx';
import { inLanguage } from './language.ts';

const T = inLanguage({
  save: ['Save this view', 'Diese Ansicht speichern'],
  name: ['Name', 'Name'],
  nameMissing: ['Enter a name.', 'Geben Sie einen Namen ein.'],
  effect: [
    'This browser keeps the tab, the filters and the order under a name.',
    'Dieser Browser merkt sich Reiter, Filter und Reihenfolge unter einem Namen.',
  ],
  remove: ['Remove the view', 'Ansicht entfernen'],
});

const MAX_VIEWS = 20;

interface View {
  name: string;
  search: string;
}

/** Names for the filters of a list, kept by the browser. */
export function SavedViews({ list }: { list: string }) {
  const key = `views:${list}`;
  const { search } = useLocation();
  const [views, setViews] = useState(() => read(key));
  const [name, setName] = useState<string>();
  const store = (changed: View[]) => {
    localStorage.setItem(key, JSON.stringify(changed));
    setViews(changed);
  };
  const entered = name?.trim() ?? '';
  const save = async () => {
    const others = views.filter((view) => view.name !== entered);
    store([...others, { name: entered, search }].slice(-MAX_VIEWS));
  };
  return (
    <Group gap="xs">
      {views.map((view) => (
        <Group key={view.name} gap={2}>
          <Link to={view.search || '?'}>{view.name}</Link>
          <CloseButton
            size="sm"
            aria-label={`${T.remove}: ${view.name}`}
            onClick={() => store(views.filter((other) => other !== view))}
          />
        </Group>
      ))}
      <Button size="xs" variant="subtle" onClick={() => setName('')}>
        {T.save}
      </Button>
      {name !== undefined && (
        <ActionDialog
          title={T.save}
          effect={T.effect}
          confirm={T.save}
          blocked={entered === '' ? T.nameMissing : undefined}
          onConfirm={save}
          onClose={() => setName(undefined)}
        >
          <TextInput
            label={T.name}
            maxLength={40}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
        </ActionDialog>
      )}
    </Group>
  );
}

/** Empty if the browser has something else under this key. */
function read(key: string): View[] {
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? '[]') as Partial<View>[];
    return stored.filter(
      (view): view is View => typeof view.name === 'string' && typeof view.search === 'string',
    );
  } catch {
    return [];
  }
}

import { useEffect, useState } from 'react';
import { Dialog } from './dialog.tsx';
import { inLanguage } from './language.ts';

const T = inLanguage({
  title: ['Keyboard', 'Tastatur'],
  next: ['Next row', 'Nächste Zeile'],
  previous: ['Previous row', 'Vorige Zeile'],
  select: ['Select the row', 'Zeile auswählen'],
  open: ['Open the row', 'Zeile öffnen'],
  filter: ['Go to the filter', 'Zum Filter'],
  search: ['Go to the search', 'Zur Suche'],
  help: ['Show this list', 'Diese Liste zeigen'],
});

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.matches('input:not([type="checkbox"]), textarea, select');

/** A screen's own keys: the key, what it does, and its handler. */
export type Shortcut = readonly [key: string, meaning: string, run: () => void];

const rowsOf = () => [...document.querySelectorAll<HTMLElement>('[data-row]')];

function moveBy(step: number): void {
  const rows = rowsOf();
  const index = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[index < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, index + step))];
  next?.querySelector<HTMLElement>('.row-link')?.focus();
}

/** The row that has the focus. */
export const focusedRow = (): string | undefined =>
  rowsOf().find((row) => row.contains(document.activeElement))?.dataset.row;

const LIST_KEYS: readonly Shortcut[] = [
  ['j', T.next, () => moveBy(1)],
  ['k', T.previous, () => moveBy(-1)],
  [
    'x',
    T.select,
    () => document.querySelector<HTMLElement>('[data-row]:focus-within input[type="checkbox"]')?.click(),
  ],
  ['f', T.filter, () => document.querySelector<HTMLElement>('[data-filter]')?.focus()],
];

/** Calls the handler of a key, unless somebody types or a dialog is open. */
export function useKeys(shortcuts: readonly Shortcut[]): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('dialog[open]')) return;
      const run = shortcuts.find(([key]) => key === event.key)?.[2];
      if (!run) return;
      event.preventDefault();
      run();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}

/** The keys of lists, those of the screen, and `?`, which shows them all. Renders nothing else. */
export function Shortcuts({ own = [], isList = false }: { own?: readonly Shortcut[]; isList?: boolean }) {
  const [isShown, setShown] = useState(false);
  const shortcuts = [...(isList ? LIST_KEYS : []), ...own];
  useKeys([...shortcuts, ['?', T.help, () => setShown(true)]]);
  if (!isShown) return null;
  const listed = [
    ...shortcuts,
    ...(isList ? [['Enter', T.open] as const] : []),
    ...(document.querySelector('[data-search]') ? [['/', T.search] as const] : []),
    ['?', T.help] as const,
  ];
  return (
    <Dialog title={T.title} onClose={() => setShown(false)}>
      <dl className="facts">
        {listed.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

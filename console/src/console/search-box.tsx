import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useId, useRef, useState, type KeyboardEvent } from 'react';
import { useNavigate } from 'react-router';
import { api, type Answer } from '../api/client.ts';
import { messageOf } from '../ui/failure.tsx';
import { formatMoment, shortened } from '../ui/format.ts';
import { inLanguage } from '../ui/language.ts';
import { useKeys } from '../ui/list-keys.tsx';
import { recordPath } from './record-link.tsx';
import { codeName, recordText } from './record-names.ts';
import { permits, useAdmin, type Permission } from './session.ts';
import './search-box.css';

const T = inLanguage({
  search: ['Search records', 'Vorgänge suchen'],
  placeholder: ['Search: id, hash, address, e-mail ( / )', 'Suche: Id, Hash, Adresse, E-Mail ( / )'],
  none: [
    'Nothing begins with this. A part of an id, a hash or an address needs eight characters.',
    'Nichts beginnt damit. Ein Teil einer Id, eines Hashes oder einer Adresse braucht acht Zeichen.',
  ],
  found: [(count: number) => `Found: ${count}`, (count: number) => `Gefunden: ${count}`],
  noScreen: ['no screen', 'kein Bereich'],
});
const KIND = inLanguage({
  user: ['User', 'Nutzer'],
  deposit: ['Deposit', 'Einzahlung'],
  withdrawal: ['Withdrawal', 'Auszahlung'],
  investment: ['Investment', 'Investition'],
  transaction: ['Transaction', 'Buchung'],
});

type Result = Answer<'GET /api/admin/search'>['data']['results'][number];
/** Without one of these the search finds nothing. */
const SEARCHABLE: readonly Permission[] = [
  'users:read',
  'transactions:read',
  'withdrawals:read',
  'investments:read',
];
const MIN_CHARACTERS = 3;
const MAX_RESULTS = 10;
const TYPING_MS = 200;

/** Finds records by an id, a hash, an address or an e-mail address, and leads to the one that is chosen. */
export function SearchBox() {
  const admin = useAdmin();
  return SEARCHABLE.some((permission) => permits(admin, permission)) ? <Search /> : null;
}

function useFound(text: string, isOpen: boolean) {
  const [q] = useDebouncedValue(text.trim(), TYPING_MS);
  const { data, error } = useQuery({
    queryKey: ['search', q],
    queryFn: async ({ signal }) =>
      (await api.call('GET /api/admin/search', { query: { q, limit: MAX_RESULTS }, signal })).data.results,
    enabled: isOpen && q.length >= MIN_CHARACTERS,
  });
  return { results: isOpen && q.length >= MIN_CHARACTERS ? data : undefined, error };
}

function Search() {
  const admin = useAdmin();
  const navigate = useNavigate();
  const listId = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const { results, error } = useFound(text, isOpen);
  useKeys([['/', T.search, () => input.current?.focus()]]);

  const change = (typed: string) => {
    setText(typed);
    setActive(0);
    setOpen(true);
  };
  const choose = ({ type, id }: Result) => {
    const path = recordPath(admin, type, id);
    if (!path) return;
    change('');
    setOpen(false);
    void navigate(path);
    document.getElementById('main')?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const count = results?.length ?? 0;
    const chosen = results?.[active];
    if (event.key === 'Escape') setOpen(false);
    else if (event.key === 'ArrowDown' && count > 0) setActive((active + 1) % count);
    else if (event.key === 'ArrowUp' && count > 0) setActive((active + count - 1) % count);
    else if (event.key === 'Enter' && chosen) choose(chosen);
    else return;
    event.preventDefault();
  };
  const hasList = results !== undefined && results.length > 0;
  return (
    <search className="search">
      <TextInput
        ref={input}
        size="xs"
        type="search"
        role="combobox"
        autoComplete="off"
        data-search
        aria-label={T.search}
        placeholder={T.placeholder}
        aria-expanded={hasList}
        aria-autocomplete="list"
        {...(hasList ? { 'aria-controls': listId, 'aria-activedescendant': `${listId}-${active}` } : {})}
        value={text}
        onChange={(event) => change(event.currentTarget.value)}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      <span className="visually-hidden" role="status">
        {hasList && T.found(results.length)}
      </span>
      {hasList && (
        <ul className="search-results" role="listbox" id={listId} aria-label={T.search}>
          {results.map((result, index) => (
            <Option
              key={result.id}
              id={`${listId}-${index}`}
              result={result}
              isActive={index === active}
              isReachable={recordPath(admin, result.type, result.id) !== undefined}
              onChoose={() => choose(result)}
            />
          ))}
        </ul>
      )}
      {isOpen && (error || results?.length === 0) && (
        <div className="search-results" role="status">
          {error ? messageOf(error) : T.none}
        </div>
      )}
    </search>
  );
}

interface OptionProps {
  id: string;
  result: Result;
  isActive: boolean;
  isReachable: boolean;
  onChoose: () => void;
}

function Option({ id, result, isActive, isReachable, onChoose }: OptionProps) {
  const { type, label, status, createdAt } = result;
  return (
    <li
      id={id}
      role="option"
      className="search-result"
      aria-selected={isActive}
      aria-disabled={!isReachable}
      onMouseDown={(event) => event.preventDefault()} // the field keeps the focus
      onClick={onChoose}
    >
      <strong>{KIND[type]}</strong> {recordText(label)} · {codeName(status)} · {formatMoment(createdAt)}
      <span className="search-id">
        {shortened(result.id)}
        {!isReachable && ` (${T.noScreen})`}
      </span>
    </li>
  );
}

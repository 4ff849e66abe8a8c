import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AddressResponse } from 'stablecoin-platform-client/routes';
import { api } from '../api/client.ts';
import { useRead } from '../api/use-read.ts';
import { formatMoment, groupsOf } from '../ui/format.ts';
import { inLanguage } from '../ui/language.ts';
import { Grouped, Moment } from '../ui/values.tsx';
import { ActionOutcome, ActionPanel } from './action-panel.tsx';
import styles from './app.module.css';
import { AskingButton } from './asking-button.tsx';
import { useAction } from './intent.ts';
import { Card, DataTable, Empty, Loaded, Page } from './parts.tsx';
import { useConfirmed } from './step-up.tsx';

const T = inLanguage({
  title: ['Address book', 'Adressbuch'],
  lead: [
    'Addresses to which you withdraw. A new one becomes usable after a delay, so that a thief cannot use it at once.',
    'Adressen, an die Sie auszahlen. Eine neue ist erst nach einer Frist verwendbar, damit ein Dieb sie nicht sofort nutzen kann.',
  ],
  back: ['Withdraw', 'Auszahlen'],
  label: ['Name', 'Name'],
  address: ['Address', 'Adresse'],
  network: ['Network', 'Netz'],
  usable: ['Usable from', 'Verwendbar ab'],
  paid: ['Payments', 'Zahlungen'],
  change: ['Change', 'Ändern'],
  rename: ['Rename', 'Umbenennen'],
  remove: ['Remove', 'Entfernen'],
  none: [
    'There are no addresses yet. Add the first one below.',
    'Es gibt noch keine Adressen. Fügen Sie unten die erste hinzu.',
  ],
  add: ['Add an address', 'Adresse hinzufügen'],
  addButton: ['Add', 'Hinzufügen'],
  sentence: [
    (label: string, address: string) => `Adds ${address} to the address book as “${label}”.`,
    (label: string, address: string) => `Nimmt ${address} als „${label}“ in das Adressbuch auf.`,
  ],
  enter: [
    'Enter a name and an address of 0x and 40 hexadecimal digits.',
    'Geben Sie einen Namen und eine Adresse aus 0x und 40 Hexadezimalziffern ein.',
  ],
  removeSentence: [
    (label: string) => `Remove “${label}” from the address book`,
    (label: string) => `„${label}“ aus dem Adressbuch entfernen`,
  ],
  added: [
    (label: string, from: string) => `“${label}” is added and usable from ${from} on.`,
    (label: string, from: string) => `„${label}“ ist aufgenommen und ab ${from} verwendbar.`,
  ],
  removed: [(label: string) => `“${label}” is removed.`, (label: string) => `„${label}“ ist entfernt.`],
  renamed: [
    (label: string) => `The name is “${label}” now.`,
    (label: string) => `Der Name ist jetzt „${label}“.`,
  ],
  newName: ['New name', 'Neuer Name'],
});

const NETWORKS = ['ERC20', 'BEP20'] as const;
const ADDRESS = /^0x[\da-fA-F]{40}$/;

export default function AddressBook() {
  return (
    <Page title={T.title} lead={T.lead} back={['/withdraw', T.back]}>
      <Card>
        <Entries />
      </Card>
      <Card title={T.add}>
        <NewAddress />
      </Card>
    </Page>
  );
}

function Entries() {
  const query = useRead('GET /api/user/addresses');
  const queries = useQueryClient();
  const confirmed = useConfirmed();
  const action = useAction<string>();
  const remove = async ({ id, address, label }: AddressResponse) => {
    await action.run(id, () =>
      confirmed(
        { action: 'address.remove', details: { address }, sentence: T.removeSentence(label) },
        async (stepUp) => {
          await api.call('DELETE /api/user/addresses/{id}', { path: { id }, stepUp });
          return T.removed(label);
        },
      ),
    );
    await queries.invalidateQueries();
  };
  const rename = async (id: string, label: string) => {
    await action.run({ id, label }, async () => {
      await api.call('PUT /api/user/addresses/{id}', { path: { id }, body: { label } });
      return T.renamed(label);
    });
    await queries.invalidateQueries();
  };
  return (
    <>
      <ActionOutcome action={action}>{(text) => text}</ActionOutcome>
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>{T.none}</Empty>
          ) : (
            <DataTable
              label={T.title}
              rows={data}
              columns={[
                {
                  name: T.label,
                  cell: (entry) => <Label key={entry.label} entry={entry} onRename={rename} />,
                },
                { name: T.address, cell: ({ address }) => <Grouped value={address} label={T.address} /> },
                { name: T.network, cell: ({ network }) => <span className={styles.word}>{network}</span> },
                { name: T.usable, cell: ({ usableFrom }) => <Moment at={usableFrom} /> },
                { name: T.paid, isNumber: true, cell: ({ paidCount }) => paidCount },
                {
                  name: T.change,
                  cell: (entry) => (
                    <AskingButton
                      label={T.remove}
                      sentence={T.removeSentence(entry.label)}
                      onAct={() => remove(entry)}
                    />
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </>
  );
}

interface LabelProps {
  entry: AddressResponse;
  onRename: (id: string, label: string) => unknown;
}

function Label({ entry: { id, label }, onRename }: LabelProps) {
  const [typed, setTyped] = useState<string>();
  if (typed === undefined)
    return (
      <div className={styles.row}>
        <span>{label}</span>
        <Button size="compact-xs" variant="subtle" onClick={() => setTyped(label)}>
          {T.rename}
        </Button>
      </div>
    );
  return (
    <form
      className={styles.row}
      onSubmit={(event) => {
        event.preventDefault();
        setTyped(undefined);
        if (typed.trim() && typed !== label) onRename(id, typed.trim());
      }}
    >
      <TextInput
        size="xs"
        aria-label={T.newName}
        value={typed}
        autoFocus
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Button size="compact-xs" type="submit">
        {T.rename}
      </Button>
    </form>
  );
}

function NewAddress() {
  const queries = useQueryClient();
  const confirmed = useConfirmed();
  const action = useAction<AddressResponse>();
  const [label, setLabel] = useState('');
  const [address, setAddress] = useState('');
  const [network, setNetwork] = useState<(typeof NETWORKS)[number]>('ERC20');
  const isComplete = label.trim() !== '' && ADDRESS.test(address.trim());
  const body = { label: label.trim(), address: address.trim(), network };
  const sentence = T.sentence(body.label, groupsOf(body.address).join(' '));
  const add = async () => {
    const result = await action.run(body, () =>
      confirmed({ action: 'address.add', details: { address: body.address }, sentence }, async (stepUp) => {
        const { data } = await api.call('POST /api/user/addresses', { body, stepUp });
        return data;
      }),
    );
    if (!result) return;
    setLabel('');
    setAddress('');
    await queries.invalidateQueries();
  };
  return (
    <div className={styles.form}>
      <TextInput label={T.label} value={label} onChange={(event) => setLabel(event.currentTarget.value)} />
      <TextInput
        label={T.address}
        value={address}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setAddress(event.currentTarget.value)}
      />
      <NativeSelect
        label={T.network}
        value={network}
        onChange={(event) => setNetwork(event.currentTarget.value as typeof network)}
        data={[...NETWORKS]}
      />
      <ActionPanel
        sentence={sentence}
        disabledBecause={!isComplete && T.enter}
        label={T.addButton}
        action={action}
        onAct={add}
        outcome={(added) => T.added(added.label, formatMoment(added.usableFrom))}
      />
    </div>
  );
}

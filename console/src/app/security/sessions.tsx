import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { inLanguage } from '../../ui/language.ts';
import { Moment } from '../../ui/values.tsx';
import { ActionOutcome } from '../action-panel.tsx';
import { AskingButton } from '../asking-button.tsx';
import { useAction } from '../intent.ts';
import { Card, DataTable, Loaded, Status } from '../parts.tsx';
import { deviceName } from './device.ts';

const T = inLanguage({
  title: ['Sessions', 'Sitzungen'],
  device: ['Device', 'Gerät'],
  unknown: ['unknown', 'unbekannt'],
  begun: ['Begun', 'Begonnen'],
  seen: ['Last seen', 'Zuletzt gesehen'],
  change: ['Change', 'Ändern'],
  current: ['this one', 'diese'],
  end: ['End', 'Beenden'],
  endOthers: ['End all others', 'Alle anderen beenden'],
  endSentence: [
    (device: string) => `Sign out “${device}” at once.`,
    (device: string) => `„${device}“ sofort abmelden.`,
  ],
  endOthersSentence: [
    'Sign out all devices but this one at once.',
    'Alle Geräte außer diesem sofort abmelden.',
  ],
  ended: [(count: number) => `${count} ended.`, (count: number) => `${count} beendet.`],
});

const nameOf = (device: string | null) => (device ? deviceName(device) : T.unknown);

export function Sessions() {
  const query = useRead('GET /api/user/sessions');
  const queries = useQueryClient();
  const action = useAction<number>();
  const end = async (intent: string, perform: () => Promise<number>) => {
    await action.run(intent, perform);
    await queries.invalidateQueries();
  };
  const endOne = (id: string) =>
    end(id, async () => {
      await api.call('DELETE /api/user/sessions/{id}', { path: { id } });
      return 1;
    });
  const endOthers = () => end('others', async () => (await api.call('DELETE /api/user/sessions')).data.ended);
  return (
    <Loaded query={query}>
      {({ data }) => (
        <Card
          title={T.title}
          aside={
            data.length > 1 && (
              <AskingButton label={T.endOthers} sentence={T.endOthersSentence} onAct={endOthers} />
            )
          }
        >
          <ActionOutcome action={action}>{(count) => T.ended(count)}</ActionOutcome>
          <DataTable
            label={T.title}
            rows={data}
            columns={[
              {
                name: T.device,
                cell: ({ device }) => <span title={device ?? undefined}>{nameOf(device)}</span>,
              },
              { name: T.begun, cell: ({ createdAt }) => <Moment at={createdAt} /> },
              { name: T.seen, cell: ({ lastSeenAt }) => <Moment at={lastSeenAt} /> },
              {
                name: T.change,
                cell: ({ id, device, current }) =>
                  current ? (
                    <Status status="active">{T.current}</Status>
                  ) : (
                    <AskingButton
                      label={T.end}
                      sentence={T.endSentence(nameOf(device))}
                      onAct={() => endOne(id)}
                    />
                  ),
              },
            ]}
          />
        </Card>
      )}
    </Loaded>
  );
}

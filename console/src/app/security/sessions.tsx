import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { inLanguage } from '../../ui/language.ts';
import { Moment } from '../../ui/values.tsx';
import { ActionOutcome } from '../action-panel.tsx';
import { useAction } from '../intent.ts';
import { Card, DataTable, Loaded, Status } from '../parts.tsx';

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
  endHint: ['Signs that device out at once', 'Meldet dieses Gerät sofort ab'],
  ended: [(count: number) => `${count} ended.`, (count: number) => `${count} beendet.`],
});

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
              <Button size="compact-sm" variant="default" onClick={() => void endOthers()}>
                {T.endOthers}
              </Button>
            )
          }
        >
          <ActionOutcome action={action}>{(count) => T.ended(count)}</ActionOutcome>
          <DataTable
            label={T.title}
            rows={data}
            columns={[
              { name: T.device, cell: ({ device }) => device || T.unknown },
              { name: T.begun, cell: ({ createdAt }) => <Moment at={createdAt} /> },
              { name: T.seen, cell: ({ lastSeenAt }) => <Moment at={lastSeenAt} /> },
              {
                name: T.change,
                cell: ({ id, current }) =>
                  current ? (
                    <Status status="active">{T.current}</Status>
                  ) : (
                    <Button
                      size="compact-sm"
                      variant="default"
                      title={T.endHint}
                      onClick={() => void endOne(id)}
                    >
                      {T.end}
                    </Button>
                  ),
              },
            ]}
          />
        </Card>
      )}
    </Loaded>
  );
}

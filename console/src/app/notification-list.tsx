import { Button, Checkbox } from '@mantine/core';
import '@mantine/core/styles/Checkbox.css';
import '@mantine/core/styles/InlineInput.css';
import { useQueryClient } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import type { NotificationResponse } from 'stablecoin-platform-client/routes';
import { api } from '../api/client.ts';
import { useRead } from '../api/use-read.ts';
import { inLanguage } from '../ui/language.ts';
import { Moment } from '../ui/values.tsx';
import { WrittenLanguage } from './account/written-language.tsx';
import { ActionOutcome } from './action-panel.tsx';
import styles from './app.module.css';
import { useAction } from './intent.ts';
import { Pager } from './pager.tsx';
import { Card, Empty, Failure, Loaded, Page, Status, TextLink } from './parts.tsx';

const T = inLanguage({
  title: ['Notifications', 'Mitteilungen'],
  lead: ['New ones show by themselves.', 'Neue erscheinen von selbst.'],
  unreadOnly: ['Only unread', 'Nur ungelesene'],
  readAll: ['Mark all as read', 'Alle als gelesen markieren'],
  readOne: ['Mark as read', 'Als gelesen markieren'],
  marked: [
    (count: number) => `${count} marked as read.`,
    (count: number) => `${count} als gelesen markiert.`,
  ],
  none: ['There are no notifications here.', 'Hier gibt es keine Mitteilungen.'],
  unread: ['unread', 'ungelesen'],
  critical: ['critical', 'kritisch'],
  high: ['important', 'wichtig'],
  open: ['Open', 'Öffnen'],
});

/** Pages of this application for the addresses that notifications name. */
function linkOf(actionUrl: string | null): string | undefined {
  if (actionUrl === null) return undefined;
  const [, kind, id] = /^\/(\w+)(?:\/([\w-]+))?$/.exec(actionUrl) ?? [];
  if (kind === 'deposits') return '/deposit';
  if (kind === 'withdrawals') return '/withdraw';
  if (kind === 'investments') return id ? `/positions/${id}` : '/';
  if (kind === 'transactions') return '/history';
  if (kind === 'security') return '/security';
  return undefined;
}

export default function NotificationList() {
  const [search, setSearch] = useSearchParams();
  const isUnreadOnly = search.has('unread');
  const page = Math.max(1, Math.trunc(Number(search.get('page') ?? 1)) || 1);
  const queries = useQueryClient();
  const action = useAction<number>();
  const query = useRead(
    'GET /api/user/notifications',
    { query: { page, limit: 20, ...(isUnreadOnly ? { unread: true } : {}) } },
    { keepPrevious: true },
  );
  const markAll = async () => {
    await action.run('all', async () => {
      const { data } = await api.call('PUT /api/user/notifications/mark-all-read', { body: {} });
      return data.markedCount;
    });
    await queries.invalidateQueries();
  };
  return (
    <Page title={T.title} lead={T.lead}>
      <WrittenLanguage />
      <Card>
        <div className={styles.row}>
          <Checkbox
            label={T.unreadOnly}
            checked={isUnreadOnly}
            onChange={(event) => setSearch(event.currentTarget.checked ? { unread: '1' } : {})}
          />
          <Button variant="default" size="compact-sm" onClick={() => void markAll()}>
            {T.readAll}
          </Button>
        </div>
        <ActionOutcome action={action}>{(count) => T.marked(count)}</ActionOutcome>
        <Loaded query={query}>
          {({ data, pagination }) =>
            data.length === 0 ? (
              <Empty>{T.none}</Empty>
            ) : (
              <>
                <ul className={styles.list} aria-label={T.title}>
                  {data.map((one) => (
                    <Item key={one.id} notification={one} />
                  ))}
                </ul>
                <Pager
                  pagination={pagination}
                  onPage={(next) => setSearch({ ...Object.fromEntries(search), page: String(next) })}
                />
              </>
            )
          }
        </Loaded>
      </Card>
    </Page>
  );
}

function Item({ notification }: { notification: NotificationResponse }) {
  const { id, title, message, isRead, priority, createdAt, actionUrl } = notification;
  const queries = useQueryClient();
  const action = useAction<void>(undefined, 'acts-once');
  const link = linkOf(actionUrl);
  const markRead = async () => {
    await action.run(id, async () => {
      await api.call('PUT /api/user/notifications/{id}/read', { path: { id } });
    });
    await queries.invalidateQueries();
  };
  return (
    <li>
      <div className={styles.row}>
        <strong className={isRead ? styles.read : styles.unread}>{title}</strong>
        {!isRead && <Status status="unread">{T.unread}</Status>}
        {(priority === 'critical' || priority === 'high') && <Status status="failed">{T[priority]}</Status>}
      </div>
      <p>{message}</p>
      <div className={styles.row}>
        <span className={styles.hint}>
          <Moment at={createdAt} />
        </span>
        {link && <TextLink to={link}>{T.open}</TextLink>}
        {!isRead && (
          <Button variant="subtle" size="compact-xs" onClick={() => void markRead()}>
            {T.readOne}
          </Button>
        )}
      </div>
      {action.state.status === 'failed' && (
        <Failure error={action.state.error} repetition={action.repetition} />
      )}
    </li>
  );
}

import { Link } from 'react-router';
import { kindName, recordName, recordText } from './record-names.ts';
import { SCREENS } from './screens.ts';
import { permits, useAdmin, type Admin } from './session.ts';

/** The screens that show one record of a kind, the best one first. */
const SCREENS_OF_KIND: Readonly<Record<string, readonly string[]>> = {
  user: ['/users'],
  approval: ['/approvals'],
  withdrawal: ['/withdrawals'],
  investment: ['/investments'],
  deposit: ['/deposits'],
  transaction: ['/transactions', '/proof'],
  'webhook-event': ['/callbacks'],
};
/** The screens that show a record of a kind among others. */
const LISTS_OF_KIND: Readonly<Record<string, string>> = {
  'withdrawal-pause': '/integrity',
  'yield-report': '/yield-reports',
};

/** The path of the screen that shows a record; undefined if there is none, or none that the admin may open. */
export function recordPath(admin: Admin, kind: string, id: string): string | undefined {
  const isOpen = (path: string) =>
    SCREENS.some((other) => other.path === path && (!other.permission || permits(admin, other.permission)));
  const list = LISTS_OF_KIND[kind];
  if (list) return isOpen(list) ? list : undefined;
  const screen = SCREENS_OF_KIND[kind]?.find(isOpen);
  return screen && `${screen}/${encodeURIComponent(id)}`;
}

interface RecordLinkProps {
  kind: string;
  id: string;
  /** The name of the record, such as the e-mail address of a user; by default its id. */
  label?: string;
}

/** The kind and the name of a record, as a link if the admin may open its screen. */
export function RecordLink({ kind, id, label }: RecordLinkProps) {
  const path = recordPath(useAdmin(), kind, id);
  const text = label === undefined ? recordName(kind, id) : `${kindName(kind)} ${recordText(label)}`;
  return path ? <Link to={path}>{text}</Link> : text;
}

import { Link } from 'react-router';
import { usePermits } from '../session.ts';

/** Leads to the page of a user for those who may open it. */
export function UserLink({ id, email }: { id: string; email: string }) {
  return usePermits('users:read') ? <Link to={`/users/${id}`}>{email}</Link> : email;
}

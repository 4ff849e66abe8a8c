import { Notices } from '../../src/database/notices.js';
import { eventually } from './eventually.js';
import type { TestAdmin, TestUser } from './given.js';
import type { TestPlatform } from './platform.js';
import { startReplica } from './replica.js';

export const USERS_PATH = '/api/admin/users';

/** Users as admins change them, and what is seen of it; `other` is the address of a second process. */
export class UserSteps {
  constructor(
    private readonly platform: TestPlatform,
    readonly admin: TestAdmin,
    private readonly other: string,
  ) {}

  change = (id: string, body: object, by = this.admin) =>
    this.platform.as(by).put(`${USERS_PATH}/${id}`, body);
  suspend = (id: string, more: object = {}) =>
    this.change(id, { status: 'suspended', reason: 'Fraud', ...more });
  remove = (id: string, query = '') => this.platform.as(this.admin).delete(`${USERS_PATH}/${id}${query}`);

  sql = (text: string, ...parameters: unknown[]) => this.platform.dataSource.query(text, parameters);

  /** What was done after the account was made. */
  audited = (id: string) =>
    this.sql(
      `select actor, action, reason, before, after from audit_entry
        where subject_id = $1 and action <> 'user.create' order by id`,
      id,
    );

  notesOf = (id: string) =>
    this.sql(
      `select priority, message from notification where user_id = $1 and type = 'security' order by id`,
      id,
    );

  /** What the user's token is answered: a code, or `welcome`. */
  answerTo = async (user: TestUser, at = this.platform.baseUrl): Promise<string> =>
    (await this.platform.as(user, at).get('/api/auth/user/profile')).code ?? 'welcome';

  /** What it is answered by every process a second later at the latest. */
  becomes = (user: TestUser, answer: string) =>
    eventually(async () => {
      for (const at of [this.platform.baseUrl, this.other])
        expect(await this.answerTo(user, at)).toBe(answer);
    }, 1000);
}

/** The steps on a platform that has just started, and a second process beside it. */
export async function userSteps(platform: TestPlatform): Promise<UserSteps> {
  const other = await startReplica(platform, {});
  await eventually(async () => expect(platform.app.get(Notices).isCurrent).toBe(true)); // sessions are cached
  return new UserSteps(platform, await platform.given.admin(), other);
}

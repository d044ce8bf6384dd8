/** Push mirrors and pull mirrors of projects (contract 22, RemoteMirror, PullMirror). */
import { type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** The state of a mirror's last or next run. */
export type UpdateStatus = 'none' | 'scheduled' | 'started' | 'finished' | 'failed'

/** The columns of runs. */
const runs = {
  update_status: t.oneOf<UpdateStatus>('none', 'scheduled', 'started', 'finished', 'failed').default('none'),
  last_update_at: t.time().nullable(),
  last_update_started_at: t.time().nullable(),
  last_successful_update_at: t.time().nullable(),
  /** Never contains credentials. */
  last_error: t.text().nullable(),
  /** The number of failures since the last success. */
  failures: t.integer().default(0),
  /** When the mirror runs next; null when no run is planned. During a run: when the run counts as lost. */
  due_at: t.time().nullable(),
  created_at: t.time(),
  updated_at: t.time(),
}

/** Repositories that a project is pushed to (contract 22, RemoteMirror). */
export const remoteMirrors = table(
  'remote_mirrors',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    /** With stars instead of credentials. */
    url: t.text(),
    /** The whole address, encrypted. */
    sealed_url: t.text(),
    enabled: t.boolean().default(false),
    only_protected_branches: t.boolean().default(false),
    keep_divergent_refs: t.boolean().default(false),
    mirror_branch_regex: t.text().nullable(),
    auth_method: t.text<'password' | 'ssh_public_key'>().default('password'),
    /** The pair of keys for `ssh_public_key`: the line of the public one, and the private one, encrypted. */
    public_key: t.text().nullable(),
    sealed_private_key: t.text().nullable(),
    /** The key of the server, in base64, since it was first signed in there. */
    host_key: t.text().nullable(),
    ...runs,
  },
  {
    indexes: { project: ['project_id', 'id'], due: ['due_at', 'id'] },
  },
)

/** The repository that a project is pulled from, while the settings of the project enable it (contract 22, PullMirror). */
export const pullMirrors = table(
  'pull_mirrors',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    /** The user who changed the mirror last; refs are moved in their name. */
    user_id: t.refers('users', 'set null').nullable(),
    url: t.text(),
    sealed_url: t.text(),
    mirror_branch_regex: t.text().nullable(),
    ...runs,
  },
  {
    unique: { project: ['project_id'] },
    indexes: { user: ['user_id'], due: ['due_at', 'id'] },
  },
)

export type RemoteMirrorRow = RowOf<typeof remoteMirrors>
export type PullMirrorRow = RowOf<typeof pullMirrors>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof remoteMirrors | typeof pullMirrors> {}
}

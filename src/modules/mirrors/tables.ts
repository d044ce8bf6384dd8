import type { Generated, Selectable } from 'kysely'

/** The state of a mirror's last or next run. */
export type UpdateStatus = 'none' | 'scheduled' | 'started' | 'finished' | 'failed'

/** The columns of runs. */
type MirrorState = {
  update_status: Generated<UpdateStatus>
  last_update_at: string | null
  last_update_started_at: string | null
  last_successful_update_at: string | null
  /** Never contains credentials. */
  last_error: string | null
  /** The number of failures since the last success. */
  failures: Generated<number>
  /** When the mirror runs next; null when no run is planned. During a run: when the run counts as lost. */
  due_at: string | null
  created_at: string
  updated_at: string
}

/** Repositories that a project is pushed to (contract 22, RemoteMirror). */
export type RemoteMirrorsTable = MirrorState & {
  id: Generated<number>
  project_id: number
  /** With stars instead of credentials. */
  url: string
  /** The whole address, encrypted. */
  sealed_url: string
  enabled: Generated<boolean>
  only_protected_branches: Generated<boolean>
  keep_divergent_refs: Generated<boolean>
  mirror_branch_regex: string | null
  auth_method: Generated<'password' | 'ssh_public_key'>
}

/** The repository that a project is pulled from, while the settings of the project enable it (contract 22, PullMirror). */
export type PullMirrorsTable = MirrorState & {
  id: Generated<number>
  project_id: number
  /** The user who changed the mirror last; refs are moved in their name. */
  user_id: number | null
  url: string
  sealed_url: string
  mirror_branch_regex: string | null
}

export type RemoteMirrorRow = Selectable<RemoteMirrorsTable>
export type PullMirrorRow = Selectable<PullMirrorsTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    remote_mirrors: RemoteMirrorsTable
    pull_mirrors: PullMirrorsTable
  }
}

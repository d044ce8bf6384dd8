import type { Generated, Selectable } from 'kysely'

/** Where a mirror is with its last run, or on the way to its next. */
export type UpdateStatus = 'none' | 'scheduled' | 'started' | 'finished' | 'failed'

/** What every mirror keeps of its runs. */
type MirrorState = {
  update_status: Generated<UpdateStatus>
  last_update_at: string | null
  last_update_started_at: string | null
  last_successful_update_at: string | null
  /** Never holds what opens the other side. */
  last_error: string | null
  /** Runs that have failed since the last one that did not. */
  failures: Generated<number>
  /** When it is to run; null while nothing asks for it. While it runs: when it is to be given up as lost. */
  due_at: string | null
  created_at: string
  updated_at: string
}

/** Places that a project is pushed to (contract 22, RemoteMirror). */
export type RemoteMirrorsTable = MirrorState & {
  id: Generated<number>
  project_id: number
  /** As it is shown: with stars where the credentials are. */
  url: string
  /** The whole address. */
  sealed_url: string
  enabled: Generated<boolean>
  only_protected_branches: Generated<boolean>
  keep_divergent_refs: Generated<boolean>
  mirror_branch_regex: string | null
  auth_method: Generated<'password' | 'ssh_public_key'>
}

/** The place that a project is pulled from; whether it is, and how, its settings say (contract 22, PullMirror). */
export type PullMirrorsTable = MirrorState & {
  id: Generated<number>
  project_id: number
  /** Whoever set it up last: refs are moved in their name. */
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

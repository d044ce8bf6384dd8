import type { Generated, Selectable } from 'kysely'
import type { Json } from '../../infra/database/index.ts'

/** Who may see a project or group (contract 21 R3). */
export type Visibility = 'private' | 'internal' | 'public'

export type NamespacesTable = {
  id: Generated<number>
  kind: 'user' | 'group'
  name: string
  path: string
  full_path: string
  /** Names from the root down, joined by ` / `. */
  full_name: string
  parent_id: number | null
  owner_id: number | null
  visibility: Visibility
  description: Generated<string>
  avatar: string | null
  /** Settings of a group that differ from the defaults. */
  settings: Json<Record<string, unknown>>
  marked_for_deletion_on: string | null
  /** The path without the suffix that a scheduled deletion appends. */
  original_path: string | null
  /** Hidden; a job removes it. */
  pending_delete: Generated<boolean>
  created_at: string
  updated_at: string
}

type NamespaceAncestorsTable = { namespace_id: number; ancestor_id: number; depth: number }

/** Every path of a namespace or project, in lower case; former paths are redirects. */
type RoutesTable = {
  path_key: string
  namespace_id: number | null
  project_id: number | null
  redirect: Generated<boolean>
}

/** What is counted each by itself: a project with its code and wiki, its other contents, a membership, a namespace. */
type Counted = 'project' | 'lfs' | 'snippets' | 'uploads' | 'member' | 'namespace'

/** What has changed since it was counted; written by triggers. `members`: those of a project. */
type NamespaceMarksTable = {
  id: Generated<number>
  source: Counted | 'members' | 'user'
  source_id: number
}

/** What lies in a namespace. */
export type Amounts = {
  /** Projects that are not being removed. */
  projects: number
  repository_bytes: number
  wiki_bytes: number
  lfs_bytes: number
  snippet_bytes: number
  upload_bytes: number
}

type NamespacePartsTable = {
  source: Counted
  source_id: number
  namespace_id: number
  user_id: number | null
  in_groups: number | null
  in_places: number | null
} & { [Amount in keyof Amounts]: number | null }

/** The users of a namespace and of everything below it, with the number of groups, and of groups, projects and personal namespaces. */
type NamespaceUsersTable = {
  namespace_id: number
  user_id: number
  in_groups: number
  in_places: number
  is_billable: boolean
}

/** What a namespace has itself, and with everything below it. */
type NamespaceTotalsTable = { namespace_id: number; is_own: boolean; members: number; seats: number } & Amounts

export type NamespaceRow = Selectable<NamespacesTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    namespaces: NamespacesTable
    namespace_ancestors: NamespaceAncestorsTable
    routes: RoutesTable
    namespace_marks: NamespaceMarksTable
    namespace_parts: NamespacePartsTable
    namespace_users: NamespaceUsersTable
    namespace_totals: NamespaceTotalsTable
  }
}

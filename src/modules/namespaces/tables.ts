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

export type NamespaceRow = Selectable<NamespacesTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    namespaces: NamespacesTable
    namespace_ancestors: NamespaceAncestorsTable
    routes: RoutesTable
  }
}

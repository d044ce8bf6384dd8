import type { Generated, Selectable } from 'kysely'
import type { Json } from '../../infra/database/index.ts'
import type { Visibility } from '../namespaces/index.ts'
import type { ProjectSettings } from './settings/settings.ts'

export type ProjectsTable = {
  id: Generated<number>
  namespace_id: number
  name: string
  path: string
  full_path: string
  description: string | null
  visibility: Visibility
  creator_id: number | null
  archived: Generated<boolean>
  default_branch: string | null
  star_count: Generated<number>
  forked_from_id: number | null
  import_status: Generated<'none' | 'scheduled' | 'started' | 'finished' | 'failed'>
  import_url: string | null
  import_error: string | null
  avatar: string | null
  /** The readme of the default branch; stored here so that lists need not read repositories. */
  readme_path: string | null
  /** What differs from the defaults of `ProjectSettings`. */
  settings: Json<Partial<ProjectSettings>>
  marked_for_deletion_on: string | null
  original_path: string | null
  pending_delete: Generated<boolean>
  /** Created by a push to a free path; a message of the first push reports it. */
  created_by_push: Generated<boolean>
  last_activity_at: string
  created_at: string
  updated_at: string
}

type ProjectTopicsTable = { project_id: number; topic_id: number; position: number }

/** Who starred what; `projects.star_count` is their number. With the time of the project's creation, for the order of lists. */
type ProjectStarsTable = { project_id: number; user_id: number; created_at: string; project_created_at: string }

/** What a project stores, in bytes. Triggers keep it (`schema/project-sizes.ts`). */
export type ProjectSizes = {
  repository_bytes: number
  wiki_bytes: number
  lfs_bytes: number
  snippet_bytes: number
  upload_bytes: number
}

type ProjectSizesTable = ProjectSizes & { project_id: number }

export type ProjectRow = Selectable<ProjectsTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    projects: ProjectsTable
    project_topics: ProjectTopicsTable
    project_stars: ProjectStarsTable
    project_sizes: ProjectSizesTable
  }
}

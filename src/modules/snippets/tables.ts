import type { Generated, Selectable } from 'kysely'
import type { Visibility } from '../namespaces/index.ts'

type SnippetsTable = {
  id: Generated<number>
  /** Null for a personal snippet. */
  project_id: number | null
  author_id: number
  title: string
  description: string | null
  visibility: Visibility
  /** Path of the first file, in byte order; null until the first commit is recorded. */
  file_name: string | null
  created_at: string
  updated_at: string
}

/** A snippet that is complete. */
export type SnippetRow = Selectable<SnippetsTable> & { file_name: string }

declare module '../../infra/database/tables.ts' {
  interface Tables {
    snippets: SnippetsTable
  }
}

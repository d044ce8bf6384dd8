/**
 * Snippets (contract 09). The files are in the snippet's repository. `file_name` is the path of the first one; it is null
 * until the first commit is recorded, and until then nothing serves the snippet. Authors are deleted last, after their snippets
 * have been deleted with the records of the files on disk, so `author_id` does not cascade.
 */
import { type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'
import type { ImportSource } from '../../platform/index.ts'
import type { Visibility } from '../namespaces/index.ts'

export const snippets = table(
  'snippets',
  {
    id: t.id(),
    /** Null for a personal snippet. */
    project_id: t.refers('projects', 'cascade').nullable(),
    author_id: t.refers('users', 'refuse'),
    title: t.text(),
    description: t.text().nullable(),
    visibility: t.text<Visibility>(),
    /** Path of the first file, in byte order; null until the first commit is recorded. */
    file_name: t.text().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
    /** Where it was imported from. */
    imported_from: t.text<ImportSource>().default('none'),
  },
  {
    indexes: {
      project: ['project_id', 'id'],
      author: ['author_id', 'id'],
      unfinished: { on: ['created_at'], where: 'file_name is null' },
      visibility: { on: ['visibility', 'id', 'created_at'], where: 'file_name is not null and project_id is null' },
      listed: { on: ['project_id', 'id'], where: 'file_name is not null' },
      created: { on: ['created_at', 'id', 'visibility', 'project_id', 'file_name'], where: 'file_name is not null' },
    },
  },
)

/** A snippet that is complete. */
export type SnippetRow = RowOf<typeof snippets> & { file_name: string }

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof snippets> {}
}

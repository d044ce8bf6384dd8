import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/**
 * Snippets (contract 09). The files are in the snippet's repository. `file_name` is the path of the first one; it is null
 * until the first commit is recorded, and until then nothing serves the snippet. Authors are deleted last, after their snippets
 * have been deleted with the records of the files on disk, so `author_id` does not cascade.
 */
export function up({ id }: Dialect) {
  return [
    sql`create table snippets (
      id ${id},
      project_id bigint references projects (id) on delete cascade,
      author_id bigint not null references users (id),
      title text not null,
      description text,
      visibility text not null,
      file_name text,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create index snippets_project on snippets (project_id, id)`,
    sql`create index snippets_author on snippets (author_id, id)`,
    sql`create index snippets_visibility on snippets (visibility, id)`,
    sql`create index snippets_unfinished on snippets (created_at) where file_name is null`,
    sql`alter table repositories add column snippet_id bigint references snippets (id) on delete cascade`,
    sql`create unique index repositories_snippet_unique on repositories (snippet_id)`,
  ]
}

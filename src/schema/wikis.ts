import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/**
 * The ids of wiki pages (contract 22, WikiPage). The pages are files in the wiki's repository; a page that is moved keeps its
 * id. A slug may exceed the size limit of an index entry, so the unique index is over its digest.
 */
export function up({ id }: Dialect) {
  return [
    sql`create table wiki_pages (
      id ${id},
      repository_id bigint not null references repositories (id) on delete cascade,
      slug text not null,
      digest text not null,
      created_at timestamptz not null
    )`,
    sql`create unique index wiki_pages_digest_unique on wiki_pages (repository_id, digest)`,
  ]
}

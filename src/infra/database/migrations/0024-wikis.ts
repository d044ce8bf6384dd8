import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * The numbers of wiki pages (contract 22, WikiPage). Pages themselves are files in the wiki's repository; a number stays with
 * its page when that is moved. Slugs may be longer than an index takes, so their digests are what is unique.
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

/**
 * The ids of wiki pages (contract 22, WikiPage). The pages are files in the wiki's repository; a page that is moved keeps its
 * id. A slug may exceed the size limit of an index entry, so the unique index is over its digest.
 */
import { type TablesOf, t, table } from '../../infra/database/index.ts'

export const wikiPages = table(
  'wiki_pages',
  {
    id: t.id(),
    repository_id: t.refers('repositories', 'cascade'),
    slug: t.text(),
    /** SHA-256 of the slug, in hexadecimal digits. */
    digest: t.text(),
    created_at: t.time(),
  },
  {
    unique: { digest: ['repository_id', 'digest'] },
  },
)

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof wikiPages> {}
}

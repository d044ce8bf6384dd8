import type { Generated } from 'kysely'

type WikiPagesTable = {
  id: Generated<number>
  repository_id: number
  slug: string
  /** SHA-256 of the slug, in hexadecimal digits. */
  digest: string
  created_at: string
}

declare module '../../infra/database/tables.ts' {
  interface Tables {
    wiki_pages: WikiPagesTable
  }
}

import { type Reader, type Tx, textDigest, within } from '../../infra/database/index.ts'
import type {} from './tables.ts'

/** The ids of pages by slug; pages without one are left out. */
export async function pageIds(db: Reader, repositoryId: number, slugs: readonly string[]) {
  if (slugs.length === 0) return new Map()
  const rows = await db
    .selectFrom('wiki_pages')
    .select(['id', 'slug'])
    .where('repository_id', '=', repositoryId)
    .where(within(db, 'wiki_pages.digest', slugs.map(textDigest)))
    .execute()
  return new Map(rows.map(({ slug, id }) => [slug, id]))
}

/** Rows per statement; each has four parameters. */
const rowsAtOnce = 1_000

/** Gives ids to pages without one. */
export async function givePageIds(tx: Tx, repositoryId: number, slugs: readonly string[], now: string): Promise<void> {
  for (let start = 0; start < slugs.length; start += rowsAtOnce) {
    const rows = slugs
      .slice(start, start + rowsAtOnce)
      .map((slug) => ({ repository_id: repositoryId, slug, digest: textDigest(slug), created_at: now }))
    await tx
      .insertInto('wiki_pages')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['repository_id', 'digest']).doNothing())
      .execute()
  }
}

/** Moves the id of a page to another slug, whose former id is deleted. */
export async function movePageId(tx: Tx, repositoryId: number, from: string, to: string): Promise<void> {
  const known = await pageIds(tx, repositoryId, [from])
  const id = known.get(from)
  if (id === undefined) return
  await tx
    .deleteFrom('wiki_pages')
    .where('repository_id', '=', repositoryId)
    .where('digest', '=', textDigest(to))
    .where('id', '<>', id)
    .execute()
  await tx
    .updateTable('wiki_pages')
    .set({ slug: to, digest: textDigest(to) })
    .where('id', '=', id)
    .execute()
}

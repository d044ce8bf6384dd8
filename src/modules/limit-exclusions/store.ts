import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import { type Reader, rows } from '../../infra/database/index.ts'
import { type LimitExclusionRow, limitExclusions } from './tables.ts'

export const { insert: insertExclusion, remove: removeExclusion } = rows(limitExclusions)

/** An exclusion with the name of its namespace. */
export type NamedExclusion = LimitExclusionRow & { namespace_name: string }

const named = (db: Reader) =>
  db
    .selectFrom('limit_exclusions')
    .innerJoin('namespaces', 'namespaces.id', 'limit_exclusions.namespace_id')
    .selectAll('limit_exclusions')
    .select('namespaces.name as namespace_name')

/** A page of exclusions, by id. */
export function pageOfExclusions(db: Reader, page: PageRequest): Promise<Page<NamedExclusion>> {
  return pageOfRows(db, named(db).orderBy('limit_exclusions.id'), page)
}

/** The exclusion of a namespace. */
export async function exclusionOf(db: Reader, namespaceId: number): Promise<NamedExclusion | null> {
  return (await named(db).where('limit_exclusions.namespace_id', '=', namespaceId).executeTakeFirst()) ?? null
}

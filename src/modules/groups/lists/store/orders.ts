import { sql } from 'kysely'
import { escapeLike, type ListContext, type Order, walkById, walkColumn } from '../../../../infra/database/index.ts'

export const groupOrders = ['name', 'path', 'id', 'similarity'] as const

export type GroupOrder = { order_by?: (typeof groupOrders)[number]; sort?: 'asc' | 'desc'; search?: string }

/** How far a group is from a search: 0 equal, 1 begins with it, 2 contains it; then by name. */
function bySimilarity(search: string): Order {
  const text = search.toLowerCase()
  const beginning = `${escapeLike(text)}%`
  const distance = sql`case
    when lower(namespaces.name) = ${text} or lower(namespaces.path) = ${text} then 0
    when lower(namespaces.name) like ${beginning} escape '\\' or lower(namespaces.path) like ${beginning} escape '\\' then 1
    else 2 end`
  return { keys: [distance, sql.ref('namespaces.name')], towards: sql`asc`, idDirection: 'asc', segments: [] }
}

/** The order of a list: ties by id, ascending (contract 21, x.groups_list). */
export function orderOf(context: ListContext, { order_by: by = 'name', sort = 'asc', search }: GroupOrder): Order {
  if (by === 'id') return walkById(context, sort)
  if (by === 'similarity' && search) return bySimilarity(search)
  return walkColumn(by === 'path' ? 'path' : 'name', 'ascend')(context, sort)
}

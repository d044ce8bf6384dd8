import { type RawBuilder, sql } from 'kysely'
import { type Actor, isAdministrator } from '../../../../api/index.ts'
import {
  anyContains,
  type Condition,
  type ListContext,
  type Order,
  type OrderOf,
  walkById,
  walkColumn,
} from '../../../../infra/database/index.ts'
import type { ListParams, ProjectOrder } from '../params.ts'

/** A size of a row of `project_sizes`, in the form that its index has. */
type SizeColumns = (row: string) => RawBuilder<unknown>

const storedBytes: SizeColumns = (row) => {
  const columns = ['repository_bytes', 'wiki_bytes', 'lfs_bytes', 'snippet_bytes', 'upload_bytes', 'package_bytes']
  const all = columns.map((column) => sql.ref(`${row}.${column}`))
  return sql`(${sql.join(all, sql` + `)})`
}
const repositoryBytes: SizeColumns = (row) => sql.ref(`${row}.repository_bytes`)
const wikiBytes: SizeColumns = (row) => sql.ref(`${row}.wiki_bytes`)
const packageBytes: SizeColumns = (row) => sql.ref(`${row}.package_bytes`)

/** By a size, as `project_sizes` has all projects in order. */
const walkSize =
  (bytes: SizeColumns): OrderOf<ListContext> =>
  (_, direction) => {
    const towards = sql.raw(direction)
    const driving = { table: sql`project_sizes sizes`, on: sql<boolean>`projects.id = sizes.project_id` }
    return {
      keys: [sql`(select ${bytes('sizes')} from project_sizes sizes where sizes.project_id = projects.id)`],
      towards,
      idDirection: direction,
      segments: [{ holds: null, driving, orderBy: sql`${bytes('sizes')} ${towards}, sizes.project_id ${towards}` }],
    }
  }

/** How well a project matches a search: the whole name first, then its beginning, then a part of it. */
const bySimilarity =
  (search: string): OrderOf<ListContext> =>
  (_, direction) => {
    const text = search.toLowerCase()
    const similarity = sql`(case
      when lower(projects.name) = ${text} or lower(projects.path) = ${text} then 3
      when substr(lower(projects.name), 1, ${text.length}) = ${text} then 2
      when ${anyContains(['projects.name', 'projects.path'], text)} then 1
      else 0 end)`
    return { keys: [similarity], towards: sql.raw(direction), idDirection: direction, segments: [] }
  }

const orders: Readonly<Record<Exclude<ProjectOrder, 'similarity'>, OrderOf<ListContext>>> = {
  id: walkById,
  name: walkColumn('name'),
  path: walkColumn('path'),
  created_at: walkColumn('created_at'),
  updated_at: walkColumn('updated_at'),
  star_count: walkColumn('star_count'),
  last_activity_at: walkColumn('last_activity_at'),
  storage_size: walkSize(storedBytes),
  repository_size: walkSize(repositoryBytes),
  wiki_size: walkSize(wikiBytes),
  packages_size: walkSize(packageBytes),
}

const isSize = (order: ProjectOrder) => order.endsWith('_size')

/** The order of a list for this actor: sizes are for administrators, and similarity for users who search. */
export function orderOf(context: ListContext & { actor: Actor }, params: ListParams): Order {
  const { order_by: wanted = 'created_at', sort = 'desc', search = '' } = params
  const { actor } = context
  if (wanted === 'similarity') {
    const text = actor.kind === 'user' ? search.trim() : ''
    return (text ? bySimilarity(text) : orders.created_at)(context, sort)
  }
  const order = isSize(wanted) && !isAdministrator(actor) ? 'created_at' : wanted
  return orders[order](context, sort)
}

/** Whether a project comes after an id, for keyset pages. */
export const isBehind = (id: number, direction: 'asc' | 'desc'): Condition =>
  sql<boolean>`projects.id ${sql.raw(direction === 'asc' ? '>' : '<')} ${id}`

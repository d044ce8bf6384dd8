import { type RawBuilder, sql } from 'kysely'
import { type Actor, isAdministrator } from '../../../../api/index.ts'
import { anyContains } from '../../../../infra/database/index.ts'
import type { PlainOrder, ProjectOrder } from '../params.ts'

/** How well a project matches a search: the whole name first, then its beginning, then a part of it. */
function similarity(search: string) {
  const text = search.trim().toLowerCase()
  return sql`(case
    when lower(projects.name) = ${text} or lower(projects.path) = ${text} then 3
    when substr(lower(projects.name), 1, ${text.length}) = ${text} then 2
    when ${anyContains(['projects.name', 'projects.path'], text)} then 1
    else 0 end)`
}

/** A size of a row of `project_sizes`, in the form that its index has. */
type SizeColumns = (row: string) => RawBuilder<unknown>

const storedBytes: SizeColumns = (row) => {
  const columns = ['repository_bytes', 'wiki_bytes', 'lfs_bytes', 'snippet_bytes', 'upload_bytes']
  return sql`(${sql.join(
    columns.map((column) => sql.ref(`${row}.${column}`)),
    sql` + `,
  )})`
}
const repositoryBytes: SizeColumns = (row) => sql.ref(`${row}.repository_bytes`)
const wikiBytes: SizeColumns = (row) => sql.ref(`${row}.wiki_bytes`)

/** The order of a list. */
export type ListOrder = {
  /** The value by which it is ordered, before the id; null for the id itself. */
  value: RawBuilder<unknown> | null
  /** The column of the value, when an index has all projects in this order. */
  column: PlainOrder | null
  /** Another table that has all projects in this order: its rows, as those of a selection, and their value, if they are `chosen`. */
  rows?: { inOrder: RawBuilder<unknown>; value: RawBuilder<unknown> }
}

const indexed = (column: Exclude<PlainOrder, 'id'>): ListOrder => ({
  value: sql.ref(`projects.${column}`),
  column,
})
const computed = (value: RawBuilder<unknown>): ListOrder => ({ value, column: null })
const bySize = (bytes: SizeColumns): ListOrder => ({
  value: sql`(select ${bytes('sizes')} from project_sizes sizes where sizes.project_id = projects.id)`,
  column: null,
  rows: { inOrder: sql`project_sizes found`, value: bytes('chosen') },
})
const byId: ListOrder = { value: null, column: 'id' }

/** The order that a list of this actor has. */
export function orderOf(order: ProjectOrder, search: string | undefined, actor: Actor): ListOrder {
  const fallback = indexed('created_at')
  switch (order) {
    case 'id':
      return byId
    case 'similarity':
      return search?.trim() && actor.kind === 'user' ? computed(similarity(search)) : fallback
    case 'storage_size':
      return isAdministrator(actor) ? bySize(storedBytes) : fallback
    case 'repository_size':
      return isAdministrator(actor) ? bySize(repositoryBytes) : fallback
    case 'wiki_size':
      return isAdministrator(actor) ? bySize(wikiBytes) : fallback
    case 'packages_size':
      // No project has packages, so they are all equal.
      return isAdministrator(actor) ? byId : fallback
    default:
      return indexed(order)
  }
}

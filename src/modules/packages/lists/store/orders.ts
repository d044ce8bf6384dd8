import { sql } from 'kysely'
import { type Direction, type Order, type OrderOf, walkColumn } from '../../../../infra/database/index.ts'
import type { PackageOrder } from '../params.ts'
import { isOfProject, type ListedGroup, type PackagesContext, projectsOf } from './scopes.ts'

const orders: Record<Exclude<PackageOrder, 'project_path'>, OrderOf<PackagesContext>> = {
  created_at: walkColumn('created_at'),
  name: walkColumn('name'),
  version: walkColumn('version'),
  type: walkColumn('package_type'),
}

/** By the path of the project: its projects in order, and the packages of each by their ids. */
function byProject(context: PackagesContext, group: ListedGroup, direction: Direction): Order {
  const towards = sql.raw(direction)
  const id = sql`packages.id ${towards}`
  const path = sql`parent.full_path`
  return {
    keys: [sql`(select p.full_path from projects p where p.id = packages.project_id)`],
    keysOfParent: [path],
    towards,
    idDirection: direction,
    segments: [
      {
        holds: null,
        orderBy: id,
        ranked: {
          rows: projectsOf(context, group),
          orderBy: sql`${path} ${towards}, ${id}`,
          member: isOfProject,
          first: { named: 'parent', key: path, direction },
        },
      },
    ],
  }
}

/** The order of a list; by the path of the project that of a group. */
export function orderOf(
  context: PackagesContext,
  { order, sort }: { order: PackageOrder; sort: Direction },
  group?: ListedGroup,
): Order {
  if (order === 'project_path' && group) return byProject(context, group, sort)
  return orders[order === 'project_path' ? 'created_at' : order](context, sort)
}

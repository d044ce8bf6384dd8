import { type Actor, dayOf, type Page, type PageRequest } from '../../../api/index.ts'
import { type ListQuery, readPage } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { isFeatureOn } from '../../features/index.ts'
import type { Group } from '../../groups/index.ts'
import { callerOf, hasFewProjects, may, projectsWithRoles } from '../../projects/index.ts'
import type { PackageProject } from '../access/rights.ts'
import { loadPackages, type ProjectsOfPackages } from '../core/load.ts'
import { projectOf } from '../core/packages.ts'
import { Package, type PresentedPackage } from '../core/present.ts'
import type { PackageRow } from '../tables.ts'
import type { PackageFilter } from './params.ts'
import { packagePredicates } from './store/filters.ts'
import { orderOf } from './store/orders.ts'
import { type ListedGroup, ofGroup, ofProject, type PackagesContext } from './store/scopes.ts'

/** Reading so many rows of the instance in the order of a list takes longer than reading the first ones of a project. */
const rowsForProject = 16

async function contextOf({ database, clock }: Platform, actor: Actor): Promise<PackagesContext> {
  const { read: db } = database
  return { db, table: 'packages', caller: await callerOf(db, actor, dayOf(clock.now())) }
}

type Listed = { context: PackagesContext; scope: ListQuery; params: PackageFilter; group?: ListedGroup }

async function pageOfPackages({ context, scope, params, group }: Listed, page: PageRequest) {
  const { order_by: order = 'created_at', sort = 'asc' } = params
  const query = { ...scope, predicates: [...scope.predicates, ...packagePredicates(context, params)] }
  const offset = page.kind === 'offset' ? page.offset : 0
  const slice = { order: orderOf(context, { order, sort }, group), limit: page.limit, offset, after: null }
  return readPage<PackageRow>(context, query, slice)
}

/** A page of the packages of a project (contract 23, x.packages_list). */
export async function listPackages(
  platform: Platform,
  { project, actor }: { project: PackageProject; actor: Actor },
  params: PackageFilter,
  page: PageRequest,
): Promise<Page<PresentedPackage>> {
  const context = { ...(await contextOf(platform, actor)), parent: { column: 'project_id', id: project.id } }
  const found = await pageOfPackages({ context, scope: ofProject(project), params }, page)
  const { shown, view } = await loadPackages(platform, found.rows, projectOf(project, actor))
  return { items: shown.map((one) => Package.present(one, view)), total: found.total, hasNext: found.hasNext }
}

/** The projects of packages, in a constant number of queries. */
async function projectsOfRows(
  { caller, db }: PackagesContext,
  rows: readonly PackageRow[],
): Promise<ProjectsOfPackages> {
  const ids = [...new Set(rows.map(({ project_id: id }) => id))]
  const projects = await projectsWithRoles(db, caller, ids)
  return new Map(
    projects.map((one) => [one.id, { fullPath: one.full_path, mayDelete: may(caller.actor, one, 'delete_packages') }]),
  )
}

/** A page of the packages of a group and below it that the caller may read (contract 23, x.group_packages_list). */
export async function listGroupPackages(
  platform: Platform,
  { group, actor }: { group: Group; actor: Actor },
  params: PackageFilter,
  page: PageRequest,
): Promise<Page<PresentedPackage>> {
  const { read } = platform.database
  const known = await contextOf(platform, actor)
  const hasFewParents = await hasFewProjects(read, group.id, 'packages', rowsForProject)
  const context = { ...known, caller: { ...known.caller, least: group.level }, hasFewParents }
  const guestsRead = await isFeatureOn(platform, 'allow_guest_plus_roles_to_pull_packages', { groupId: group.id })
  const listed = { id: group.id, withoutSubgroups: params.exclude_subgroups ?? false, guestsRead }
  const found = await pageOfPackages({ context, scope: ofGroup(context, listed), params, group: listed }, page)
  const projects = await projectsOfRows(context, found.rows)
  const { shown, view } = await loadPackages(platform, found.rows, projects, { isOfGroup: true })
  return { items: shown.map((one) => Package.present(one, view)), total: found.total, hasNext: found.hasNext }
}

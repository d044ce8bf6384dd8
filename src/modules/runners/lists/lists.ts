import { dayOf, failure, type Page, type PageRequest, type UserActor } from '../../../api/index.ts'
import type { PredicateUse } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { ownRoles, role } from '../../access/index.ts'
import { ancestorsOf } from '../../namespaces/index.ts'
import { isMemberOf, type Project, reachesFewProjects, settingOf } from '../../projects/index.ts'
import { presentRunners } from '../core/load.ts'
import type { RunnerFilter } from '../core/params.ts'
import type { PresentedRunner } from '../core/present.ts'
import { runnerStatuses } from '../core/status.ts'
import { runnerTypes } from '../tables.ts'
import * as store from './store.ts'

/** The older names of types and states. @throws ApiError 400 for another word */
function selectionOfScope(scope: string | undefined) {
  const older = { shared: 'instance_type', specific: 'project_type' } as Record<string, string>
  const word = scope ? (Object.hasOwn(older, scope) ? older[scope] : scope) : undefined
  const type = runnerTypes.find((known) => known === word)
  const status = runnerStatuses.find((known) => known === word)
  const isState = word === 'active' || word === 'paused'
  if (word !== undefined && !type && !status && !isState) throw failure(400, 'Scope contains invalid value')
  return { types: type ? [type] : [], statuses: status ? [status] : [], paused: isState ? [word === 'paused'] : [] }
}

async function page(
  platform: Platform,
  parts: readonly store.Part[] | null,
  filter: RunnerFilter,
  request: PageRequest,
) {
  const { types, statuses, paused } = selectionOfScope(filter.scope)
  const selection = {
    types: filter.type ? [...types, filter.type] : types,
    statuses: filter.status ? [...statuses, filter.status] : statuses,
    paused: filter.paused === undefined ? paused : [...paused, filter.paused],
    tags: filter.tag_list ?? [],
    versionPrefix: filter.version_prefix ?? '',
    now: platform.clock.now(),
  }
  const found = await store.pageOfRunners(platform.database.read, parts, selection, request)
  return { ...found, items: await presentRunners(platform, found.items) }
}

/** Runners of the projects that the caller maintains and of the groups that they own (contract 04, x.runners_list). */
export async function listOwnRunners(
  platform: Platform,
  { userId }: UserActor,
  filter: RunnerFilter,
  request: PageRequest,
): Promise<Page<PresentedRunner>> {
  const db = platform.database.read
  const roles = await ownRoles(db, userId, dayOf(platform.clock.now()))
  // Few projects find their runners; of many the projects of the runners are tested.
  const isFew = await reachesFewProjects(db, roles, role.maintainer, 'runners')
  const useOf = (use: PredicateUse) => (use === 'counts' && isFew ? 'drives' : use)
  const maintained = store.ofProjects(db, (use) => isMemberOf(db, roles, role.maintainer, use))
  const owned = store.ofOwnedGroups(db, roles)
  const parts = [owned, maintained].map((part) => ({ ...part, rows: (use: PredicateUse) => part.rows(useOf(use)) }))
  return page(platform, parts, filter, request)
}

/** All runners (contract 04, x.runners_all). */
export async function listAllRunners(platform: Platform, filter: RunnerFilter, request: PageRequest) {
  return page(platform, null, filter, request)
}

/** The runners that may take jobs of a project (contract 04, x.project_runners_list). */
export async function listProjectRunners(
  platform: Platform,
  project: Project,
  filter: RunnerFilter,
  request: PageRequest,
): Promise<Page<PresentedRunner>> {
  const above = await ancestorsOf(platform.database.read, project.namespace_id)
  const parts = [
    store.ofProject(project.id),
    ...(settingOf(project, 'group_runners_enabled') ? above.map(({ id }) => store.ofGroup(id)) : []),
    ...(settingOf(project, 'shared_runners_enabled') ? [store.ofInstance] : []),
  ]
  return page(platform, parts, filter, request)
}

/** The runners of a group, of the groups above it and of the instance (contract 04, x.group_runners_list). */
export async function listGroupRunners(
  platform: Platform,
  group: { id: number },
  filter: RunnerFilter,
  request: PageRequest,
): Promise<Page<PresentedRunner>> {
  const above = await ancestorsOf(platform.database.read, group.id)
  return page(platform, [...above.map(({ id }) => store.ofGroup(id)), store.ofInstance], filter, request)
}

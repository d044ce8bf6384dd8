import { dayOf, type Page, type PageRequest, type UserActor } from '../../../api/index.ts'
import { oneOf, type Predicate, predicatesOf, readPage, walkById } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { ownRoles } from '../../access/index.ts'
import { ancestorsOf } from '../../namespaces/index.ts'
import { type Project, settingOf } from '../../projects/index.ts'
import { presentRunners } from '../core/load.ts'
import type { RunnerFilter } from '../core/params.ts'
import type { PresentedRunner } from '../core/present.ts'
import type { RunnerRow } from '../tables.ts'
import { type RunnersContext, runnerFilters } from './store/filters.ts'
import { ofGroup, ofInstance, ofMaintainedProjects, ofOwnedGroups, ofProject } from './store/scopes.ts'

const contextOf = ({ database, clock }: Platform): RunnersContext => ({
  db: database.read,
  table: 'runners',
  now: clock.now(),
})

/** A page of runners, the newest first. @throws ApiError 400 */
async function pageOfRunners(
  platform: Platform,
  scope: readonly Predicate[],
  filter: RunnerFilter,
  page: PageRequest,
): Promise<Page<PresentedRunner>> {
  const context = contextOf(platform)
  const predicates = [...scope, ...predicatesOf(runnerFilters, context, filter)]
  const slice = {
    order: walkById(context, 'desc'),
    limit: page.limit,
    offset: page.kind === 'offset' ? page.offset : 0,
    after: null,
  }
  const found = await readPage<RunnerRow>(context, { predicates, lookUps: [], scope: null }, slice)
  return { items: await presentRunners(platform, found.rows), total: found.total, hasNext: found.hasNext }
}

/** Runners of the projects that the caller maintains and of the groups that they own (contract 04, x.runners_list). */
export async function listOwnRunners(
  platform: Platform,
  { userId }: UserActor,
  filter: RunnerFilter,
  page: PageRequest,
): Promise<Page<PresentedRunner>> {
  const context = contextOf(platform)
  const roles = await ownRoles(context.db, userId, dayOf(platform.clock.now()))
  const scope = oneOf([ofOwnedGroups(context, roles), await ofMaintainedProjects(context, roles)])
  return pageOfRunners(platform, [scope], filter, page)
}

/** All runners (contract 04, x.runners_all). */
export function listAllRunners(platform: Platform, filter: RunnerFilter, page: PageRequest) {
  return pageOfRunners(platform, [], filter, page)
}

/** The runners that may take jobs of a project (contract 04, x.project_runners_list). */
export async function listProjectRunners(
  platform: Platform,
  project: Project,
  filter: RunnerFilter,
  page: PageRequest,
): Promise<Page<PresentedRunner>> {
  const context = contextOf(platform)
  const groups = settingOf(project, 'group_runners_enabled') ? await ancestorsOf(context.db, project.namespace_id) : []
  const scope = oneOf([
    ofProject(context, project.id),
    ...groups.map(({ id }) => ofGroup(context, id)),
    ...(settingOf(project, 'shared_runners_enabled') ? [ofInstance(context)] : []),
  ])
  return pageOfRunners(platform, [scope], filter, page)
}

/** The runners of a group, of the groups above it and of the instance (contract 04, x.group_runners_list). */
export async function listGroupRunners(
  platform: Platform,
  group: { id: number },
  filter: RunnerFilter,
  page: PageRequest,
): Promise<Page<PresentedRunner>> {
  const context = contextOf(platform)
  const groups = await ancestorsOf(context.db, group.id)
  const scope = oneOf([...groups.map(({ id }) => ofGroup(context, id)), ofInstance(context)])
  return pageOfRunners(platform, [scope], filter, page)
}

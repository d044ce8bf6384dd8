import type { Actor, Static } from '../../../api/index.ts'
import { dayOf } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { namespaceById, namespaceWebUrl } from '../../namespaces/index.ts'
import { callerOf, visibleProjects } from '../../projects/index.ts'
import { presentingUsers } from '../../users/index.ts'
import type { RunnerRow } from '../tables.ts'
import { type PresentedRunner, Runner, RunnerDetail, RunnerManager, type RunnerView } from './present.ts'
import * as store from './store.ts'

async function viewOf(platform: Platform): Promise<RunnerView> {
  return { db: platform.database.read, moment: platform.clock.now(), presenting: await presentingUsers(platform) }
}

/** Presents runners with one load for each fact. */
export async function presentRunners(platform: Platform, rows: readonly RunnerRow[]): Promise<PresentedRunner[]> {
  return Runner.presentAll(rows, await viewOf(platform))
}

async function projectsFor(platform: Platform, { id, runner_type }: RunnerRow, actor: Actor) {
  if (runner_type !== 'project_type') return []
  const db = platform.database.read
  const caller = await callerOf(db, actor, dayOf(platform.clock.now()))
  const rows = await store.projectsOfRunner(db, id, visibleProjects(db, caller, []))
  return rows.map(({ namespace_full_name: above, full_path, ...project }) => ({
    ...{ id: project.id, name: project.name, name_with_namespace: `${above} / ${project.name}` },
    ...{ path: project.path, path_with_namespace: full_path },
  }))
}

async function groupsFor({ database, externalUrl }: Platform, { namespace_id }: RunnerRow) {
  const group = namespace_id === null ? null : await namespaceById(database.read, namespace_id)
  return group ? [{ id: group.id, web_url: namespaceWebUrl(externalUrl, group), name: group.name }] : []
}

/** The runners and managers of jobs, by id, as they are shown with a job (port `pipelines.runners`). */
export async function runnersOfJobs(
  platform: Platform,
  { runners, managers }: { runners: readonly number[]; managers: readonly number[] },
) {
  const db = platform.database.read
  const [runnerIds, managerIds] = [[...new Set(runners)], [...new Set(managers)]]
  const [rows, managerRows, busy] = await Promise.all([
    store.runnersByIds(db, runnerIds),
    store.managersByIds(db, managerIds),
    store.busyIds(db, 'runner_manager_id', runnerIds),
  ])
  const presented = await presentRunners(platform, rows)
  const shown = { moment: platform.clock.now(), busy }
  return {
    runners: new Map(presented.map((runner) => [runner.id, runner])),
    managers: new Map(managerRows.map((row) => [row.id, RunnerManager.present(row, shown)])),
  }
}

/** Presents one runner with its groups, and those of its projects that the caller can see. */
export async function presentDetail(
  platform: Platform,
  row: RunnerRow,
  actor: Actor,
): Promise<Static<typeof RunnerDetail>> {
  const assigned = { projects: await projectsFor(platform, row, actor), groups: await groupsFor(platform, row) }
  return RunnerDetail.presentOne({ ...row, ...assigned }, await viewOf(platform))
}

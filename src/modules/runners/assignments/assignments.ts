import {
  type Actor,
  dayOf,
  forbidden,
  invalid,
  isAdministrator,
  notFound,
  recordNotFound,
  type Unmodified,
} from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import { mayManage } from '../core/access.ts'
import { presentRunners } from '../core/load.ts'
import { requireRoom } from '../core/new-runner.ts'
import * as store from '../core/store.ts'
import type { RunnerRow } from '../tables.ts'

type OfProject = { id: number }

async function requireAssignable({ clock }: Platform, tx: Tx, row: RunnerRow, actor: Actor): Promise<void> {
  if (row.runner_type === 'group_type') throw forbidden('Runner is a group runner')
  if (row.runner_type === 'instance_type') throw forbidden('Runner is an instance runner')
  if (isAdministrator(actor)) return
  if (!(await mayManage(tx, row, actor, dayOf(clock.now())))) throw forbidden('No access granted')
  if (row.locked) throw forbidden('Runner is locked')
}

/** Assigns a runner to a further project (contract 04, x.project_runner_assign). @throws ApiError 400, 403, 404 */
export async function assignRunner(
  platform: Platform,
  project: OfProject,
  runnerId: number,
  { actor, act }: { actor: Actor; act: Act },
) {
  const row = await platform.database.write(async (tx) => {
    const found = await store.lockRunner(tx, runnerId)
    if (!found) throw recordNotFound()
    await requireAssignable(platform, tx, found, actor)
    const assigned = await store.projectIdsOf(tx, runnerId)
    if (assigned.includes(project.id)) throw invalid({ runner_projects: ['is invalid'] })
    await requireRoom(tx, { projectId: project.id })
    await store.assignProject(tx, runnerId, project.id)
    await act(tx, runnerId)
    return (await store.updateRunner(tx, runnerId, { updated_at: now(platform.clock) })) ?? found
  })
  const [presented] = await presentRunners(platform, [row])
  if (!presented) throw new Error(`runner ${runnerId} was not presented`)
  return presented
}

/** Takes a runner from a project (contract 04, x.project_runner_unassign). @throws ApiError 403, 404, 412 */
export async function unassignRunner(
  { database, clock }: Platform,
  project: OfProject,
  runnerId: number,
  { unmodified, act }: { unmodified: Unmodified; act: Act },
): Promise<void> {
  await database.write(async (tx) => {
    const row = await store.lockRunner(tx, runnerId)
    const assigned = row ? await store.projectIdsOf(tx, runnerId) : []
    if (!row || !assigned.includes(project.id)) throw notFound('Runner')
    if (assigned.length === 1) {
      throw forbidden('Only one project associated with the runner. Please remove the runner instead')
    }
    unmodified(row.updated_at)
    await store.unassignProject(tx, runnerId, project.id)
    await act(tx, runnerId)
    await store.updateRunner(tx, runnerId, { updated_at: now(clock) })
  })
}

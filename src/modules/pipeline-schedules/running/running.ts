import { type Actor, dayOf, forbidden, limitRequests } from '../../../api/index.ts'
import { isUniqueViolation, now, type Tx } from '../../../infra/database/index.ts'
import { enqueue, enqueueAll, type Job, type Platform } from '../../../platform/index.ts'
import { readFeature } from '../../features/index.ts'
import { createPipeline, hasBuilds, mayRunOn } from '../../pipelines/index.ts'
import { type Project, projectById, projectsByIds, refusesWrites, withRole } from '../../projects/index.ts'
import { actingUser, userById } from '../../users/index.ts'
import { shortRef } from '../schedules/refs.ts'
import { requireSchedule } from '../schedules/schedules.ts'
import * as store from '../schedules/store.ts'
import { nextRunAt } from '../schedules/times.ts'
import type { ScheduleRow } from '../tables.ts'
import { openScheduleVariables } from '../variables/sealing.ts'
import { variablesOfSchedule } from '../variables/store.ts'

/**
 * A run of a schedule. `runKey` is one value for each due time or request, so that a run that is repeated after a crash
 * creates no second pipeline. `userId` is who asked for it; null: the clock, for the owner.
 */
type Run = { scheduleId: number; runKey: string; userId: number | null }

/** The schedules that one tick claims in one transaction. */
const batch = 1000

/** The project and the user of a run; null when the user may not create a pipeline on the ref any more. */
async function runnerOf(platform: Platform, schedule: ScheduleRow, userId: number | null) {
  const { database, clock } = platform
  const user = userId === null ? null : await userById(database.read, userId)
  const row = await projectById(database.read, schedule.project_id)
  if (!row || user?.state !== 'active') return null
  const actor = actingUser(platform, user)
  const project = await withRole(database.read, row, actor, dayOf(clock.now()))
  const isAllowed = await mayRunOn(platform, project, actor, shortRef(schedule.ref))
  return isAllowed ? { project, actor } : null
}

/** Switches a schedule off whose owner may not run it (contract 04, Scheduling: Owner). */
async function deactivate({ database, clock, log }: Platform, { id, owner_id }: ScheduleRow): Promise<void> {
  await database.write((tx) => store.updateSchedule(tx, id, { active: false, updated_at: now(clock) }))
  log.warn({ schedule: id, owner: owner_id }, 'pipeline schedule deactivated: its owner may not run it')
}

/** Creates the pipeline of a run. A failure is logged; the schedule stays active. */
export const runScheduleJob: Job<Run> = {
  kind: 'pipeline_schedules.run',
  async run(platform, { scheduleId, runKey, userId }) {
    const { database, log } = platform
    const schedule = await store.scheduleById(database.read, scheduleId)
    // What has changed in the project since the tick says nothing about the owner.
    if (!schedule || (await runnableProjects(platform, [schedule.project_id])).size === 0) return
    const runner = await runnerOf(platform, schedule, userId ?? schedule.owner_id)
    if (!runner) return userId === null ? deactivate(platform, schedule) : undefined
    const variables = await openScheduleVariables(platform, await variablesOfSchedule(database.read, scheduleId))
    const created = await createPipeline(platform, {
      ...runner,
      ref: schedule.ref,
      source: 'schedule',
      variables,
      hasCheckedVariables: true,
      schedule: { id: scheduleId, description: schedule.description, run: runKey },
    }).catch((error: unknown) => {
      if (isUniqueViolation(error, 'pipelines_run_unique')) return null
      throw error
    })
    if (created && 'refused' in created)
      log.warn({ schedule: scheduleId, reasons: created.refused }, 'scheduled pipeline refused')
  },
}

/** The projects of schedules for which the worker is switched on. */
async function projectsWithWorker(
  due: readonly ScheduleRow[],
  isOn: (about: { projectId: number }) => Promise<boolean>,
): Promise<Set<number>> {
  const on = new Set<number>()
  for (const projectId of new Set(due.map(({ project_id }) => project_id))) {
    if (await isOn({ projectId })) on.add(projectId)
  }
  return on
}

/** Of these projects those whose schedules the clock runs. */
async function runnableProjects({ database }: Platform, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const projects = await projectsByIds(database.read, ids)
  return new Set(projects.filter((one) => !refusesWrites(one) && hasBuilds(one)).map(({ id }) => id))
}

type Due = { due: readonly ScheduleRow[]; runnable: ReadonlySet<number>; moment: string }

/** These schedules by the time of their next run, which is computed once for each expression and time zone. */
function byNextRun(platform: Platform, due: readonly ScheduleRow[]): Map<string | null, ScheduleRow[]> {
  const known = new Map<string, string | null>()
  return Map.groupBy(due, (schedule) => {
    const key = `${schedule.cron_timezone}\n${schedule.cron}`
    const next = known.get(key)
    if (next !== undefined) return next
    const computed = nextRunAt(platform, schedule)
    known.set(key, computed)
    return computed
  })
}

/** Claims schedules, those with the same next time together, and stores their runs. */
async function claim(platform: Platform, tx: Tx, { due, runnable, moment }: Due): Promise<void> {
  for (const [next, schedules] of byNextRun(platform, due)) {
    const ids = schedules.map(({ id }) => id)
    if (next === null) {
      // A time zone that no longer exists has no next time.
      await store.deactivateSchedules(tx, ids, moment)
      continue
    }
    const claimed = new Set(await store.claimSchedules(tx, ids, moment, next))
    const running = schedules.filter(({ id, project_id }) => claimed.has(id) && runnable.has(project_id))
    const runs = running.map(({ id, next_run_at }) => ({ scheduleId: id, runKey: next_run_at, userId: null }))
    await enqueueAll(platform, tx, runScheduleJob, runs)
  }
}

/** Computes anew the next runs that a clock ahead has set: no bound says how far ahead they may be. */
async function recallNextRuns(platform: Platform): Promise<void> {
  const { database } = platform
  for (const times of await store.activeTimes(database.read)) {
    const next = nextRunAt(platform, times)
    if (next !== null) await database.write((tx) => store.recallSchedules(tx, times, next))
  }
}

/**
 * Claims what is due: moves the next run of each schedule and stores its run in the same transaction, so that every due
 * time leads to one pipeline, whichever process ticks (contract 04, Scheduling: Tick).
 */
export const tickJob: Job<null> = {
  kind: 'pipeline_schedules.tick',
  // On the minute of the clock, as the due times are.
  every: { seconds: 60, offsetSeconds: 0 },
  when: ({ clock }) => store.anyScheduleIsDue(now(clock)),
  recall: recallNextRuns,
  async run(platform) {
    const { database, clock } = platform
    const isOn = await readFeature(platform, 'pipeline_schedule_worker')
    const moment = now(clock)
    for (let after: ScheduleRow | undefined; ; ) {
      const all = await store.dueSchedules(database.read, moment, { after, limit: batch })
      after = all.at(-1)
      if (!after) return
      const projectIds = await projectsWithWorker(all, isOn)
      // Those of the others stay due.
      const due = all.filter(({ project_id }) => projectIds.has(project_id))
      const runnable = await runnableProjects(platform, [...projectIds])
      await database.write((tx) => claim(platform, tx, { due, runnable, moment }))
    }
  },
}

/** Runs a schedule now, as the caller (contract 2.18). @throws ApiError 403, 404, 429 */
export async function playSchedule(platform: Platform, project: Project, actor: Actor, id: number): Promise<void> {
  const { database, config } = platform
  const schedule = await requireSchedule(platform.database.read, project, id)
  if (actor.kind !== 'user' || !(await mayRunOn(platform, project, actor, shortRef(schedule.ref)))) throw forbidden()
  const throttle = { name: 'pipeline_schedules_play', requests: config.ciSchedulePlayPerMinute, periodSeconds: 60 }
  await limitRequests(platform, `${actor.userId}:${id}`, throttle)
  const next_run_at = nextRunAt(platform, schedule) ?? schedule.next_run_at
  await database.write(async (tx) => {
    await store.updateSchedule(tx, id, { next_run_at })
    await enqueue(platform, tx, runScheduleJob, { scheduleId: id, runKey: crypto.randomUUID(), userId: actor.userId })
  })
}

import { type Actor, nullable, type ParamValues, type Static, Type, t } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Project } from '../../projects/index.ts'
import { requireReader } from './pipelines.ts'
import { newestTimes, type PipelineTimes } from './store.ts'

export const daysFilter = {
  days: t.integer({ minimum: 1, maximum: 90, description: 'How many days until today; default 30.' }),
}

/** The pipelines of a day (contract 04, x.pipelines_by_day). */
export const PipelineDay = Type.Object(
  {
    date: Type.String({ format: 'date' }),
    total: Type.Integer(),
    success: Type.Integer(),
    failed: Type.Integer(),
    duration: nullable(Type.Integer({ description: 'Mean seconds from start to end.' })),
  },
  { title: 'PipelineDay' },
)

const dayMs = 86_400_000
/** The newest pipelines of a project that are counted. */
const mostCounted = 1000

function meanSeconds(pipelines: readonly PipelineTimes[]): number | null {
  const ended = pipelines.flatMap(({ started_at: start, finished_at: end }) =>
    start && end ? [Date.parse(end) - Date.parse(start)] : [],
  )
  if (ended.length === 0) return null
  return Math.round(ended.reduce((sum, milliseconds) => sum + milliseconds, 0) / ended.length / 1000)
}

function dayOf(date: string, pipelines: readonly PipelineTimes[]): Static<typeof PipelineDay> {
  const having = (status: string) => pipelines.filter((pipeline) => pipeline.status === status).length
  const [success, failed] = [having('success'), having('failed')]
  return { date, total: pipelines.length, success, failed, duration: meanSeconds(pipelines) }
}

/** The numbers and mean durations of the pipelines of each of the last days, oldest first (contract 04, x.pipelines_by_day). */
export async function pipelinesByDay(
  { database, clock }: Platform,
  project: Project,
  actor: Actor,
  { days = 30 }: ParamValues<typeof daysFilter>,
): Promise<Static<typeof PipelineDay>[]> {
  requireReader(actor, project)
  const now = clock.now().getTime()
  const dates = Array.from({ length: days }, (_, index) => {
    return new Date(now - (days - 1 - index) * dayMs).toISOString().slice(0, 10)
  })
  const pipelines = await newestTimes(database.read, project.id, mostCounted)
  const byDay = Map.groupBy(pipelines, ({ created_at: at }) => at.slice(0, 10))
  return dates.map((date) => dayOf(date, byDay.get(date) ?? []))
}

import { type Page, type PageRequest, type ParamValues, type Static, t } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Project } from '../../projects/index.ts'
import { commonFilter } from '../core/params.ts'
import { BasicPipeline } from '../core/present.ts'
import { pageOfSchedule } from '../core/store.ts'
import { newestScheduled } from './store.ts'

/** Parameters of 2.13. */
export const scheduledFilter = {
  ...commonFilter,
  sort: t.oneOf(['asc', 'desc'], { description: 'By id; default `asc`.' }),
}
type ScheduledFilter = ParamValues<typeof scheduledFilter>

type PresentedBasic = Static<typeof BasicPipeline>

/** A page of the pipelines that a schedule has created; their source has the name that the configuration says (contract 2.13). */
export async function listPipelinesOfSchedule(
  { database, externalUrl, config }: Platform,
  { id: projectId, full_path: fullPath }: Project,
  scheduleId: number,
  filter: ScheduledFilter,
  page: PageRequest,
): Promise<Page<PresentedBasic>> {
  const found = await pageOfSchedule(database.read, { projectId, scheduleId }, filter, page)
  const [place, source] = [{ externalUrl, fullPath }, config.ciScheduleSourceLabel]
  return { ...found, items: found.items.map((row) => BasicPipeline.present(row, { ...place, source })) }
}

/** The newest pipeline of each of these schedules of a project, by the id of the schedule. */
export async function newestPipelinesOfSchedules(
  { database, externalUrl }: Platform,
  { full_path: fullPath }: Project,
  scheduleIds: readonly number[],
): Promise<Map<number, PresentedBasic>> {
  const rows = await newestScheduled(database.read, scheduleIds)
  return new Map(rows.map((row) => [row.schedule_id ?? 0, BasicPipeline.present(row, { externalUrl, fullPath })]))
}

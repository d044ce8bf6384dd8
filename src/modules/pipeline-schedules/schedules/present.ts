import { forms, nullable, type Static, Type } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { BasicPipeline, newestPipelinesOfSchedules } from '../../pipelines/index.ts'
import type { Project } from '../../projects/index.ts'
import { presentingUsers, presentUserBasic, UserBasic, usersByIds } from '../../users/index.ts'
import type { ScheduleRow } from '../tables.ts'
import { openScheduleVariables } from '../variables/sealing.ts'
import { variablesOfSchedule } from '../variables/store.ts'

/** A variable of a schedule (contract 04). */
export const ScheduleVariable = Type.Object(
  { variable_type: Type.String(), key: Type.String(), value: Type.String(), raw: Type.Boolean() },
  { title: 'PipelineScheduleVariable' },
)

const members = {
  id: forms.id,
  description: Type.String(),
  ref: Type.String(),
  cron: Type.String(),
  cron_timezone: Type.String(),
  next_run_at: forms.timestamp,
  active: Type.Boolean(),
  created_at: forms.timestamp,
  updated_at: forms.timestamp,
  owner: nullable(UserBasic),
}

/** A pipeline schedule in a list (contract 04). */
export const Schedule = Type.Object(members, { title: 'PipelineSchedule' })

/** A pipeline schedule alone (contract 04). */
export const ScheduleDetail = Type.Object(
  { ...members, last_pipeline: nullable(BasicPipeline), variables: Type.Array(ScheduleVariable) },
  { title: 'PipelineScheduleDetail' },
)

/** Presents schedules; their owners are loaded in one query. */
export async function presentSchedules(
  platform: Platform,
  rows: readonly ScheduleRow[],
): Promise<Static<typeof Schedule>[]> {
  const ids = rows.flatMap(({ owner_id }) => owner_id ?? [])
  const [owners, presenting] = await Promise.all([usersByIds(platform.database.read, ids), presentingUsers(platform)])
  return rows.map(({ project_id, owner_id, ...shown }) => {
    const owner = owners.get(owner_id ?? 0)
    return { ...shown, owner: owner ? presentUserBasic(owner, presenting) : null }
  })
}

/** @param seesVariables whether the caller may see them; otherwise there are none */
export async function presentSchedule(
  platform: Platform,
  project: Project,
  row: ScheduleRow,
  seesVariables: boolean,
): Promise<Static<typeof ScheduleDetail>> {
  const db = platform.database.read
  const [[schedule], pipelines, rows] = await Promise.all([
    presentSchedules(platform, [row]),
    newestPipelinesOfSchedules(platform, project, [row.id]),
    seesVariables ? variablesOfSchedule(db, row.id) : [],
  ])
  const variables = (await openScheduleVariables(platform, rows)).map((variable) => ({ ...variable, raw: false }))
  return { ...(schedule as Static<typeof Schedule>), last_pipeline: pipelines.get(row.id) ?? null, variables }
}

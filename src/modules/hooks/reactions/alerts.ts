import { portionsOf } from '../../../infra/database/index.ts'
import { type Events, enqueue, type Job, type Reaction } from '../../../platform/index.ts'
import { type AlertRow, alertsByIds, alertUrl } from '../../alerts/index.ts'
import { callsNone, fireTo, isFollowed, receiversFor } from '../firing/fire.ts'
import {
  type Building,
  building,
  type NamedProject,
  namedProject,
  oneUserPayload,
  projectPayload,
  toTheSecond,
  type UserPayload,
} from '../payloads/parts.ts'

/** Alerts in one job, which sends them in one transaction. */
const portion = 100

/**
 * The payload of an alert that was triggered or resolved (contract 25, Our choices).
 * @param status that of the event, which may have changed since
 */
function alertPayload(
  building: Building,
  project: NamedProject,
  row: AlertRow,
  { status, user }: { status: 'triggered' | 'resolved'; user: UserPayload | null },
) {
  return {
    object_kind: 'alert',
    user,
    project: projectPayload(building, project),
    object_attributes: {
      iid: row.iid,
      title: row.title,
      description: row.description,
      url: alertUrl(building.externalUrl, project.row.full_path, row.iid),
      severity: row.severity,
      events: row.event_count,
      status,
      started_at: toTheSecond(row.started_at),
      ended_at: toTheSecond(row.ended_at),
    },
  }
}

/** Sends what became of alerts. */
export const alertsJob: Job<Events['alerts.turned']> = {
  kind: 'web_hooks.alerts',
  async run(platform, { projectId, userId, alertIds, status }) {
    const { database } = platform
    const project = await namedProject(database.read, projectId)
    if (!project) return
    const built = await building(platform, database.read)
    const user = await oneUserPayload(built, userId)
    const rows = await alertsByIds(database.read, alertIds)
    await database.write(async (tx) => {
      const called = await receiversFor(platform, tx, { trigger: 'alert', projectId })
      if (callsNone(called)) return
      for (const id of alertIds) {
        const row = rows.get(id)
        const own = async () => (row ? alertPayload(built, project, row, { status, user }) : null)
        await fireTo(platform, tx, called, { trigger: 'alert', projectId, payloads: { own } })
      }
    })
  },
}

/** Alerts were triggered or resolved. A delivery may bring thousands, so that it waits for none of the receivers. */
export const hookAlerts: Reaction<Events['alerts.turned']> = async (platform, tx, turned) => {
  const { projectId, alertIds } = turned
  if (!(await isFollowed(platform, tx, ['alert'], { projectId }))) return
  for (const ids of portionsOf(alertIds, portion)) {
    await enqueue(platform, tx, alertsJob, { ...turned, alertIds: ids }, { orderKey: `web_hooks.alerts:${projectId}` })
  }
}

import { dayAfter } from '../../../api/index.ts'
import { type Events, enqueue, type Job, type Platform, type Reaction, sendsMail } from '../../../platform/index.ts'
import { pipelineById } from '../../pipelines/index.ts'
import { releaseById } from '../../releases/index.ts'
import type { Occasion } from './occasion.ts'
import { issuesDueOn, statusBefore } from './store.ts'
import { tell } from './tell.ts'

/** Tells who started a pipeline that it failed or succeeded. */
export const tellPipeline: Reaction<Events['pipeline.changed']> = async (platform, tx, { pipelineId, projectId }) => {
  const row = sendsMail(platform) && (await pipelineById(tx, pipelineId))
  if (!row || row.user_id === null || (row.status !== 'failed' && row.status !== 'success')) return
  const of = { type: 'Pipeline' as const, id: row.id }
  if (row.status === 'failed')
    return tell(platform, tx, projectId, { ...of, happening: 'failed', event: 'failed_pipeline' })
  const isFixed = (await statusBefore(tx, row)) === 'failed'
  const told: Pick<Occasion, 'happening' | 'event'> = isFixed
    ? { happening: 'fixed', event: 'fixed_pipeline' }
    : { happening: 'succeeded', event: 'success_pipeline' }
  await tell(platform, tx, projectId, { ...of, ...told })
}

/** Tells of a new release. */
export const tellRelease: Reaction<Events['release.changed']> = async (
  platform,
  tx,
  { releaseId, projectId, action },
) => {
  const row = sendsMail(platform) && action === 'create' && (await releaseById(tx, releaseId))
  if (!row) return
  const { id, author_id: actorId } = row
  await tell(platform, tx, projectId, { happening: 'released', event: 'new_release', type: 'Release', id, actorId })
}

const portion = 200

/** Tells of some issues that are due on a day, and goes on with the next in another job. */
async function tellDue(platform: Platform, day: string, after: number): Promise<void> {
  const issues = await issuesDueOn(platform.database.read, day, { after, limit: portion })
  await platform.database.write(async (tx) => {
    for (const { id, project_id: projectId } of issues) {
      await tell(platform, tx, projectId, { happening: 'due', event: 'issue_due', type: 'Issue', id })
    }
    const last = issues.length < portion ? undefined : issues.at(-1)
    const uniqueKey = `${day}:${last?.id}`
    if (last) await enqueue(platform, tx, tellDueJob, { day, after: last.id }, { uniqueKey })
  })
}

/** Tells of the issues of a day from an id on. */
export const tellDueJob: Job<{ day: string; after: number }> = {
  kind: 'notifications.tell_due',
  run: (platform, { day, after }) => tellDue(platform, day, after),
}

/** Tells once a day of the issues that are due the day after. */
export const dueJob: Job<null> = {
  kind: 'notifications.due_issues',
  every: { seconds: 86_400, offsetSeconds: 3_600 },
  async run(platform) {
    if (sendsMail(platform)) await tellDue(platform, dayAfter(platform.clock.now(), 1), 0)
  },
}

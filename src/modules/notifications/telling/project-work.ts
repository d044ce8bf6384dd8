import { dayAfter } from '../../../api/index.ts'
import { type Events, type Job, type Platform, type Reaction, sendsMail } from '../../../platform/index.ts'
import { pipelineById } from '../../pipelines/index.ts'
import { releaseById } from '../../releases/index.ts'
import type { Occasion } from './occasion.ts'
import { claimDueIssues, insertDueDay, issuesDueOn, statusBefore, toldUpTo } from './store.ts'
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
/** Days for which it is known what has been told, also where a clock was put back. */
const daysKept = 30

/** Tells of the next issues that are due on a day. @returns whether others may follow */
async function tellNextDue(platform: Platform, day: string): Promise<boolean> {
  const { read, write } = platform.database
  const from = await toldUpTo(read, day)
  const issues = await issuesDueOn(read, day, { after: from, limit: portion })
  const last = issues.at(-1)
  if (!last) return false
  await write(async (tx) => {
    // A run of the job beside this one, or after a process died, goes on behind what was told.
    if (!(await claimDueIssues(tx, day, { from, to: last.id }))) return
    for (const { id, project_id: projectId } of issues) {
      await tell(platform, tx, projectId, { happening: 'due', event: 'issue_due', type: 'Issue', id })
    }
  })
  return true
}

/** Tells once a day of the issues that are due the day after. */
export const dueJob: Job<null> = {
  kind: 'notifications.due_issues',
  every: { seconds: 86_400, offsetSeconds: 3_600 },
  async run(platform, _, { signal }) {
    if (!sendsMail(platform)) return
    const { database, clock } = platform
    const day = dayAfter(clock.now(), 1)
    await database.write((tx) => insertDueDay(tx, day, dayAfter(clock.now(), -daysKept)))
    do {
      signal.throwIfAborted()
    } while (await tellNextDue(platform, day))
  },
}

import { now, type Tx } from '../../infra/database/index.ts'
import type { RefChange } from '../../infra/git/index.ts'
import {
  type AppliedChange,
  type Events,
  enqueue,
  type Job,
  type Platform,
  type Reaction,
  type RefListener,
  react,
} from '../../platform/index.ts'
import { maintainAfterPush } from '../../platform/repositories/index.ts'
import { actionName, collapsedPushData, pushDataOf } from './push-data.ts'
import { deletePushes, insertEvents, insertPush, pushById } from './store.ts'
import type { PushData, PushRow } from './tables.ts'

declare module '../../platform/platform.ts' {
  interface Events {
    /** Refs were changed, by a push or by the API. */
    'refs.pushed': { pushId: number; repositoryId: number; changes: readonly RefChange[] }
  }
}

const daySeconds = 86_400
/** Longer than the retries of any job that follows a push. */
const retentionMs = 7 * daySeconds * 1000

export const forgetPushes: Job<null> = {
  kind: 'pushes.forget',
  every: { seconds: daySeconds },
  async run({ database, clock }) {
    const before = new Date(clock.now().getTime() - retentionMs).toISOString()
    await database.write((tx) => deletePushes(tx, before))
  },
}

async function pushData({ settings }: Platform, applied: AppliedChange): Promise<PushData[]> {
  const { row, changes } = applied
  if (row.project_id === null || row.kind !== 'project') return []
  const { push_event_activities_limit: limit } = await settings.current()
  if (changes.length > limit) return [collapsedPushData(changes)]
  return Promise.all(changes.map((change) => pushDataOf(applied, change)))
}

async function record(
  platform: Platform,
  tx: Tx,
  { row, changes, writer }: AppliedChange,
  data: readonly PushData[],
): Promise<void> {
  const created_at = now(platform.clock)
  const event = { project_id: row.project_id, author_id: writer.userId, created_at }
  await insertEvents(
    tx,
    data.map((one) => ({ ...event, action: actionName(one), push_data: JSON.stringify(one) })),
  )
  const pushId = await insertPush(tx, {
    repository_id: row.id,
    user_id: writer.userId,
    deploy_key_id: writer.deployKeyId ?? null,
    push_options: JSON.stringify(writer.pushOptions ?? []),
    changes: JSON.stringify(changes),
    created_at,
  })
  await react(platform, tx, 'refs.pushed', { pushId, repositoryId: row.id, changes })
}

/** Records pushes, and changes of refs by the API, with their events (contract 22 R5). */
export const pushListener: RefListener = {
  async prepare(platform, applied) {
    const data = await pushData(platform, applied)
    return (tx) => record(platform, tx, applied, data)
  },
}

type PushJob = Job<{ pushId: number }>

/** A job that runs after pushes; `afterPush` enqueues it. */
export function pushJob(
  kind: `pushes.${string}`,
  run: (platform: Platform, push: PushRow, signal: AbortSignal) => Promise<void>,
): PushJob {
  return {
    kind,
    queue: 'pushes',
    async run(platform, { pushId }, { signal }) {
      const push = await pushById(platform.database.read, pushId)
      if (push) await run(platform, push, signal)
    },
  }
}

/** Under which a job made by `pushJob` is ordered: the jobs of one repository run in the order of its pushes. */
export const pushOrder = ({ kind }: Pick<PushJob, 'kind'>, repositoryId: number) => ({
  orderKey: `${kind}:${repositoryId}`,
})

/**
 * A reaction that enqueues a job made by `pushJob`.
 * @param concerns which changes have work for it: a push without one enqueues nothing. Default: all
 */
export function afterPush(
  { kind }: Pick<PushJob, 'kind'>,
  concerns: (change: RefChange) => boolean = () => true,
): Reaction<Events['refs.pushed']> {
  return async (platform, tx, { pushId, repositoryId, changes }) => {
    if (changes.some(concerns))
      await enqueue(platform, tx, { kind } as PushJob, { pushId }, pushOrder({ kind }, repositoryId))
  }
}

export const maintenanceJob = pushJob('pushes.maintenance', (platform, push) =>
  maintainAfterPush(platform, push.repository_id),
)

export const maintainPushed = afterPush(maintenanceJob)

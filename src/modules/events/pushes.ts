import type { Clock } from '../../infra/clock/index.ts'
import { type Database, now, type Tx } from '../../infra/database/index.ts'
import type { Jobs } from '../../infra/jobs/index.ts'
import type { AppliedChange, RefListener } from '../repositories/index.ts'
import { actionName, collapsedPushData, pushDataOf } from './push-data.ts'
import { forgetPushes, insertEvents, insertPush, pushById } from './store.ts'
import type { PushData, PushRow } from './tables.ts'

export type PushesNeeds = {
  database: Database
  jobs: Jobs
  clock: Clock
  /** Refs of one push beyond which one event stands for all (setting `push_event_activities_limit`). */
  activitiesLimit(): Promise<number>
}

/** What follows from pushes and from refs that the API moves (contract 22 R5). */
export type Pushes = {
  /** Records them, in the transaction that raises the generation. */
  listener: RefListener
  /**
   * Has a job run after every push, at least once, those of one repository in their order. To be called before the jobs start.
   * @param name part of the kind of its job; never renamed
   */
  subscribe(name: string, run: (push: PushRow, signal: AbortSignal) => Promise<void>): void
}

const forgetJob = 'pushes.forget'
const daySeconds = 86_400
/** Longer than any job is tried again. */
const keptMs = 7 * daySeconds * 1000

export function createPushes({ database, jobs, clock, activitiesLimit }: PushesNeeds): Pushes {
  const kinds: string[] = []

  jobs.define<null>({
    kind: forgetJob,
    async run() {
      const before = new Date(clock.now().getTime() - keptMs).toISOString()
      await database.write((tx) => forgetPushes(tx, before))
    },
  })
  jobs.every(forgetJob, daySeconds, forgetJob)

  async function pushData(applied: AppliedChange): Promise<PushData[]> {
    if (applied.row.project_id === null || applied.row.kind !== 'project') return []
    const { changes } = applied
    if (changes.length > (await activitiesLimit())) return [collapsedPushData(changes)]
    return Promise.all(changes.map((change) => pushDataOf(applied, change)))
  }

  async function record(tx: Tx, { row, changes, mover }: AppliedChange, data: readonly PushData[]): Promise<void> {
    const created_at = now(clock)
    const nothing = { target_type: null, target_id: null, target_iid: null, target_title: null }
    const event = { project_id: row.project_id, author_id: mover.userId, ...nothing, created_at }
    await insertEvents(
      tx,
      data.map((one) => ({ ...event, action: actionName(one), push_data: JSON.stringify(one) })),
    )
    const pushId = await insertPush(tx, {
      repository_id: row.id,
      user_id: mover.userId,
      deploy_key_id: mover.deployKeyId ?? null,
      push_options: JSON.stringify(mover.pushOptions ?? []),
      changes: JSON.stringify(changes),
      created_at,
    })
    for (const kind of kinds) await jobs.enqueue(tx, kind, { pushId }, { orderKey: `${kind}:${row.id}` })
  }

  return {
    listener: {
      async prepare(applied) {
        const data = await pushData(applied)
        return (tx) => record(tx, applied, data)
      },
    },
    subscribe(name, run) {
      const kind = `pushes.${name}`
      kinds.push(kind)
      jobs.define<{ pushId: number }>({
        kind,
        queue: 'pushes',
        async run({ pushId }, { signal }) {
          const push = await pushById(database.read, pushId)
          if (push) await run(push, signal)
        },
      })
    },
  }
}

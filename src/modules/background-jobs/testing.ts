import type { JobRow } from '../../infra/jobs/index.ts'
import type { TestServer } from '../../testing/index.ts'

/** A kind of job without a payload that finds nothing to do. */
export const idleKind = 'spam_logs.prune'

/** Stores a job that has failed, with other columns where they are given. @returns its id */
export async function makeFailedJob({ app }: Pick<TestServer, 'app'>, row: Partial<JobRow> = {}): Promise<number> {
  const { database, clock } = app.platform
  const moment = clock.now().toISOString()
  const job = {
    queue: 'default',
    kind: idleKind,
    payload: 'null',
    state: 'failed',
    attempts: 4,
    max_attempts: 4,
  } as const
  const times = { run_at: moment, created_at: moment, updated_at: moment }
  const values = { ...job, last_error: 'Error: no space', ...times, ...row }
  const { id } = await database.write((tx) =>
    tx.insertInto('jobs').values(values).returning('id').executeTakeFirstOrThrow(),
  )
  return id
}

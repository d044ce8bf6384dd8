import { type Reader, type Tx, within } from '../../infra/database/index.ts'

/** Records failures of a job; those that are recorded stay. */
export async function insertFailures(
  tx: Tx,
  { projectId, jobId, at }: { projectId: number; jobId: number; at: string },
  digests: readonly string[],
): Promise<void> {
  if (digests.length === 0) return
  const rows = digests.map((digest) => ({ project_id: projectId, job_id: jobId, digest, failed_at: at }))
  await tx
    .insertInto('ci_test_failures')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['job_id', 'digest']).doNothing())
    .execute()
}

/** How often cases have failed since a time, by their digests. */
export async function failuresSince(
  db: Reader,
  projectId: number,
  digests: readonly string[],
  since: string,
): Promise<ReadonlyMap<string, number>> {
  if (digests.length === 0) return new Map()
  const rows = await db
    .selectFrom('ci_test_failures')
    .select((eb) => ['digest', eb.fn.countAll<number>().as('count')])
    .where('project_id', '=', projectId)
    .where(within(db, 'digest', digests))
    .where('failed_at', '>=', since)
    .groupBy('digest')
    .execute()
  return new Map(rows.map(({ digest, count }) => [digest, Number(count)]))
}

/** Deletes failures before a time, so many at once. @returns how many */
export async function deleteFailuresBefore(tx: Tx, moment: string, limit: number): Promise<number> {
  const past = tx.selectFrom('ci_test_failures').select('id').where('failed_at', '<', moment)
  const ids = (await past.orderBy('failed_at').orderBy('id').limit(limit).execute()).map(({ id }) => id)
  if (ids.length === 0) return 0
  await tx
    .deleteFrom('ci_test_failures')
    .where(within(tx, 'id', ids))
    .execute()
  return ids.length
}

import type { Database } from '../infra/database/index.ts'

/** The stored jobs with these values, newest first. */
export async function storedJobs({ read }: Database, values: { kind?: string; state?: 'pending' | 'failed' } = {}) {
  const jobs = read.selectFrom('jobs').selectAll()
  return jobs
    .where((eb) => eb.and(values))
    .orderBy('id', 'desc')
    .execute()
}

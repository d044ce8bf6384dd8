import type { Database } from '../infra/database/index.ts'
import type { JobRow } from '../infra/jobs/tables.ts'

/** The stored jobs with these values, newest first. */
export async function storedJobs({ read }: Database, values: Partial<Pick<JobRow, 'kind' | 'state'>> = {}) {
  const jobs = read.selectFrom('jobs').selectAll()
  return jobs
    .where((eb) => eb.and(values))
    .orderBy('id', 'desc')
    .execute()
}

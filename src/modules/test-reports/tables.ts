/** Failures of test cases on default branches, by which reports say how often a case has failed lately (contract 26 R4). */
import { type TablesOf, t, table } from '../../infra/database/index.ts'

export const ciTestFailures = table(
  'ci_test_failures',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    job_id: t.refers('ci_jobs', 'cascade'),
    /** Of the case with its suite. */
    digest: t.text(),
    failed_at: t.time(),
  },
  {
    unique: { job: ['job_id', 'digest'] },
    indexes: { recent: ['project_id', 'digest', 'failed_at'], past: ['failed_at', 'id'] },
  },
)

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof ciTestFailures> {}
}

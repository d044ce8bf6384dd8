/** Commits that are shown beside the changes of a merge request, to explain them (contract 26.4). */
import { type TablesOf, t, table } from '../../infra/database/index.ts'

export const contextCommits = table(
  'context_commits',
  {
    id: t.id(),
    merge_request_id: t.refers('merge_requests', 'cascade'),
    sha: t.text(),
    committed_at: t.time(),
  },
  {
    unique: { sha: ['merge_request_id', 'sha'] },
    indexes: { order: ['merge_request_id', 'committed_at', 'id'] },
  },
)

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof contextCommits> {}
}

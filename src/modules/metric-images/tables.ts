/** Images of what was measured during incidents (contract 26.10). Those of alerts are in the tables of alerts. */
import { type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

export const issueMetricImages = table(
  'issue_metric_images',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    issue_id: t.refers('issues', 'cascade'),
    /** The random part of the key of its bytes. */
    secret: t.name(),
    filename: t.name(),
    size_bytes: t.bigint(),
    sha256: t.text(),
    url: t.text().nullable(),
    url_text: t.text().nullable(),
    created_at: t.time(),
  },
  {
    unique: { secret: ['secret'] },
    indexes: { order: ['issue_id', 'id'], project: ['project_id'] },
  },
)
export type IssueMetricImageRow = RowOf<typeof issueMetricImages>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof issueMetricImages> {}
}

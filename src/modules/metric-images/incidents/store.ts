import { type Reader, rows, within } from '../../../infra/database/index.ts'
import type { ImageKind } from '../shared/kind.ts'
import { type IssueMetricImageRow, issueMetricImages } from '../tables.ts'

/** The images of incidents. */
export const incidentImages: ImageKind<IssueMetricImageRow> = {
  ...rows(issueMetricImages),
  folder: 'issue-metric-images',
  async knownSecrets(db, secrets) {
    const query = db.selectFrom('issue_metric_images').select(['project_id', 'secret'])
    return query.where(within(db, 'secret', secrets)).execute()
  },
}

/** The images of an incident, by id. */
export function imagesOfIncident(db: Reader, issueId: number): Promise<IssueMetricImageRow[]> {
  return db.selectFrom('issue_metric_images').selectAll().where('issue_id', '=', issueId).orderBy('id').execute()
}

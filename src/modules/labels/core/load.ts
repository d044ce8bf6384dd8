import { type Actor, requireSignedIn } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { ProjectOrGroup } from '../../projects/index.ts'
import { subscribedLabels } from '../subscriptions/store.ts'
import type { LabelRow } from '../tables.ts'
import { prioritiesOf } from '../usable/store.ts'
import { type PresentedLabel, presentLabel } from './present.ts'

/** @returns the counts of each label, by its id */
async function countsOf(platform: Platform, parent: ProjectOrGroup, actor: Actor, ids: readonly number[]) {
  const { ports } = platform
  const [issues, requests] = await Promise.all([
    ports['labels.issue_counts'](platform, parent, ids, actor),
    ports['labels.merge_request_counts'](platform, parent, ids, actor),
  ])
  return (id: number) => ({
    open_issues_count: issues.get(id)?.opened ?? 0,
    closed_issues_count: issues.get(id)?.closed ?? 0,
    open_merge_requests_count: requests.get(id) ?? 0,
  })
}

/**
 * Presents labels with one query for each fact.
 * @param withCounts whether to count the issues and merge requests of each label
 */
export async function presentLabels(
  platform: Platform,
  db: Reader,
  parent: ProjectOrGroup,
  actor: Actor,
  rows: readonly LabelRow[],
  withCounts = false,
): Promise<PresentedLabel[]> {
  const ids = rows.map(({ id }) => id)
  const subscribed = await subscribedLabels(db, requireSignedIn(actor).userId, ids)
  const priorities = parent.kind === 'project' ? await prioritiesOf(db, parent.id, ids) : new Map<number, number>()
  const counts = withCounts ? await countsOf(platform, parent, actor, ids) : null
  return rows.map((row) =>
    presentLabel(row, {
      ...(counts && { counts: counts(row.id) }),
      subscribed: subscribed.has(row.id),
      priority: priorities.get(row.id) ?? null,
    }),
  )
}

/** Presents one label. */
export async function presentOne(
  platform: Platform,
  db: Reader,
  parent: ProjectOrGroup,
  actor: Actor,
  row: LabelRow,
): Promise<PresentedLabel> {
  const [presented] = await presentLabels(platform, db, parent, actor, [row])
  return presented as PresentedLabel
}

import { t } from '../../../api/index.ts'
import type { Tx } from '../../../infra/database/index.ts'
import { insertEvents } from '../events/store.ts'
import type { ChangeOrigin, IssuableRef } from '../issuable.ts'
import { lockIssuable } from '../store.ts'
import { changedLabels, type LabelChange, type LabelRef, without } from './scopes.ts'
import { deleteLabels, insertLabels, labelsOf } from './store.ts'

/**
 * Changes the labels of an issuable, and records an event for each label really added and then for each really removed, by
 * title (contract 18, "Rules"). Labels `k::v` displace the others of their scope (contract 17).
 * @returns the labels that were added and removed
 */
export async function setLabels(
  tx: Tx,
  target: IssuableRef,
  change: LabelChange,
  origin: ChangeOrigin,
): Promise<{ added: LabelRef[]; removed: LabelRef[] }> {
  await lockIssuable(tx, target)
  const current = (await labelsOf(tx, target.type, [target.id])).get(target.id) ?? []
  const next = changedLabels(current, change)
  const added = without(next, current)
  const removed = without(current, next)
  const idsOf = (labels: readonly LabelRef[]) => labels.map(({ id }) => id)
  await insertLabels(tx, target, idsOf(added))
  await deleteLabels(tx, target, idsOf(removed))
  await insertEvents(tx, 'resource_label_events', [target], origin, [
    ...added.map(({ id }) => ({ label_id: id, action: 'add' as const })),
    ...removed.map(({ id }) => ({ label_id: id, action: 'remove' as const })),
  ])
  return { added, removed }
}

/** More titles in one request than any issuable has labels. */
const mostTitles = 1_000

/** Titles of labels that a request gives to an issuable or takes from it, in a list or separated by commas. */
export const labelTitles = (description: string) =>
  t.array(t.string(), { commaSeparated: true, maximum: mostTitles, description })

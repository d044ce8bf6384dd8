import type { Tx } from '../../../infra/database/index.ts'
import { copyLabelEvents, insertEvents } from '../events/store.ts'
import type { ChangeOrigin, IssuableRef } from '../issuable.ts'
import { without } from './scopes.ts'
import { insertLabels, labelsOf } from './store.ts'

/**
 * Gives a new issue the labels and the label events of the issue that moves there (contract 16, x.issue_move).
 * @param replaced ids of labels there, by those here. Labels that are not in it are dropped: an event records that, so that
 * the events replay to the labels
 */
export async function copyLabels(
  tx: Tx,
  from: IssuableRef,
  to: IssuableRef,
  replaced: ReadonlyMap<number, number>,
  origin: ChangeOrigin,
): Promise<void> {
  const labels = (await labelsOf(tx, from.type, [from.id])).get(from.id) ?? []
  const kept = labels.filter(({ id }) => replaced.has(id))
  await copyLabelEvents(tx, from, to, replaced)
  await insertLabels(tx, to, [...new Set(kept.map(({ id }) => replaced.get(id) as number))])
  const dropped = without(labels, kept).map(({ id }) => ({ label_id: id, action: 'remove' as const }))
  await insertEvents(tx, 'resource_label_events', [to], origin, dropped)
}

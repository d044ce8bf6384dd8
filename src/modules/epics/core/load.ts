import type { Actor } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type IssuableRef, labelsOf } from '../../issuables/index.ts'
import { LabelBasic, labelsByIds } from '../../labels/index.ts'
import { countsOf, isSubscribed } from '../../notes/index.ts'
import { presentingUsers, presentUserBasic, type UserRow, usersByIds } from '../../users/index.ts'
import type { EpicRow } from '../tables.ts'
import type { Epic } from './access.ts'
import { inheritedDates } from './dates.ts'
import { type PresentedEpic, presentDates, presentRow } from './present.ts'
import { readableEpics } from './readable.ts'
import { epicsByIds } from './store.ts'

/** Refers to an epic in the tables of issuables. */
export const refOf = ({ id, group_id }: Pick<EpicRow, 'id' | 'group_id'>): IssuableRef => ({
  type: 'Epic',
  id,
  projectId: null,
  groupId: group_id,
})

/** The epic as notes, reactions and subscriptions see it. */
export const noteableOf = (row: Pick<EpicRow, 'id' | 'group_id' | 'iid'>) => ({
  ...refOf(row),
  type: 'Epic' as const,
  iid: row.iid,
  commitId: null,
})

async function labelDetails({ database }: Platform, ids: readonly number[]) {
  const rows = await labelsByIds(database.read, ids)
  return new Map([...rows].map(([id, row]) => [id, LabelBasic.present(row)]))
}

/** The epics above these, as far as the caller can read them. */
async function parentsOf(platform: Platform, rows: readonly EpicRow[], actor: Actor): Promise<Map<number, EpicRow>> {
  const { read: db } = platform.database
  const parents = await epicsByIds(
    db,
    rows.flatMap(({ parent_id }) => parent_id ?? []),
  )
  const readable = await readableEpics(platform, db, [...parents.values()], actor)
  return new Map(readable.map((row) => [row.id, row]))
}

/**
 * Presents epics in a constant number of queries (contract 17, Epic).
 * @param from full path of the group that references are relative to
 * @param withLabels whether labels are objects instead of titles
 */
export async function presentEpics(
  platform: Platform,
  rows: readonly EpicRow[],
  actor: Actor,
  { from, withLabels = false }: { from: string; withLabels?: boolean },
): Promise<PresentedEpic[]> {
  const db = platform.database.read
  const ids = rows.map(({ id }) => id)
  const [labels, counts, dates, parents, authors, presenting] = await Promise.all([
    labelsOf(db, 'Epic', ids),
    countsOf(db, 'Epic', ids),
    inheritedDates(platform, ids),
    parentsOf(platform, rows, actor),
    usersByIds(
      db,
      rows.map(({ author_id }) => author_id),
    ),
    presentingUsers(platform),
  ])
  const labelIds = [...labels.values()].flat().map(({ id }) => id)
  const details = withLabels ? await labelDetails(platform, labelIds) : null
  return rows.map((row) => {
    const { upvotes, downvotes } = counts(row.id)
    const named = labels.get(row.id) ?? []
    return {
      ...presentRow(platform.externalUrl, row, parents.get(row.parent_id ?? 0), from),
      ...presentDates(row, dates(row.id)),
      author: presentUserBasic(authors.get(row.author_id) as UserRow, presenting),
      labels: named.map(({ id, title }) => details?.get(id) ?? title),
      ...{ upvotes, downvotes },
    }
  })
}

/** Presents one epic, with whether the caller is subscribed. */
export async function presentEpic(platform: Platform, { group, ...row }: Epic, actor: Actor): Promise<PresentedEpic> {
  const [presented] = await presentEpics(platform, [row], actor, { from: group.full_path })
  const isUser = actor.kind === 'user'
  const subscribed = isUser && (await isSubscribed(platform.database.read, noteableOf(row), actor.userId))
  return { ...(presented as PresentedEpic), subscribed }
}

import { sql } from 'kysely'
import type { Actor } from '../../api/index.ts'
import type { Reader } from '../../infra/database/index.ts'
import type { KindAnswers } from './answers.ts'
import type { Issuable, IssuableRef } from './issuable.ts'

/** An issue of which only what issuables have in common exists. */
export function commonIssue(project: { id: number }, id: number, authorId = 1): Issuable {
  return {
    ...{ type: 'Issue', id, iid: id, projectId: project.id, groupId: null, commitId: null, authorId },
    ...{ title: `Issue ${id}`, description: null, state: 'opened', confidential: false, discussionLocked: false },
  }
}

type LabelEvent = { id: number; label_id: number | null; action: 'add' | 'remove'; created_at: string; title: string }

/** The label events of an issuable, with the titles of the labels. */
export async function labelEventsOf(db: Reader, { type, id }: IssuableRef): Promise<LabelEvent[]> {
  const query = sql<LabelEvent>`select e.id, e.label_id, e.action, e.created_at, l.title from resource_label_events e
    left join labels l on l.id = e.label_id
    where e.issuable_type = ${type} and e.issuable_id = ${id} order by e.id`
  return (await query.execute(db as never)).rows
}

/** The labels to which events replay: those added and not removed since, ascending (contract 18, "Rules"). */
export function replayed(events: readonly Pick<LabelEvent, 'label_id' | 'action'>[]): number[] {
  const labels = new Set<number>()
  for (const { label_id: id, action } of events) {
    if (id === null) continue
    if (action === 'add') labels.add(id)
    else labels.delete(id)
  }
  return [...labels].sort((left, right) => left - right)
}

/** Answers for issues of which only what issuables have in common exists. @param mayRead whether a user may read one */
export function kindOf(
  issues: ReadonlyMap<number, Issuable>,
  mayRead: (issue: Issuable, userId: number, internal: boolean) => boolean,
): KindAnswers {
  const found = (ids: readonly number[]) => ids.flatMap((id) => issues.get(id) ?? [])
  const allowed = (actor: Actor, ids: readonly number[]) =>
    found(ids).filter((issue) => actor.kind === 'user' && mayRead(issue, actor.userId, false))
  return {
    byIds: async (_db, ids) => found(ids),
    byPlaces: async (_db, places) =>
      [...issues.values()].filter((issue) =>
        places.some(({ projectId, iid }) => projectId === issue.projectId && iid === issue.iid),
      ),
    readersOf: async (_platform, _db, issue, userIds, { internal } = { internal: false }) =>
      new Set(userIds.filter((userId) => mayRead(issue, userId, internal))),
    readable: async (_platform, actor, ids) => new Set(allowed(actor, ids).map(({ id }) => id)),
    todoTargets: async (_platform, actor, ids) =>
      new Map(
        allowed(actor, ids).map((issue) => [
          issue.id,
          { target: issue, web_url: `https://fennec.example.com/${issue.id}`, title: issue.title },
        ]),
      ),
  }
}

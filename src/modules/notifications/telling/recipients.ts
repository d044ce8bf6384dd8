import { dayOf } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role, usersWithRole } from '../../access/index.ts'
import type { Issuable } from '../../issuables/index.ts'
import { issueAnswers } from '../../issues/index.ts'
import { mergeRequestAnswers } from '../../merge-requests/index.ts'
import { type NoteRow, noteById } from '../../notes/index.ts'
import { type ProjectRow, projectById } from '../../projects/index.ts'
import { type UserRow, usersByIds } from '../../users/index.ts'
import { decide, type Reason } from './decide.ts'
import type { Occasion } from './occasion.ts'
import { effectiveLevels, partsOf, subscriptionsOf } from './store.ts'

const kinds = { Issue: issueAnswers, MergeRequest: mergeRequestAnswers } as const

/** The object of an occasion as it is now. */
export type Subject = { project: ProjectRow; issuable: Issuable; note: NoteRow | null }

/** The object of an occasion; null when it, its project or the comment is gone. */
export async function subjectOf({ database }: Platform, { type, id, noteId }: Occasion): Promise<Subject | null> {
  const db = database.read
  const [issuable] = await kinds[type].byIds(db, [id])
  const project = issuable && (await projectById(db, issuable.projectId ?? 0))
  if (!issuable || !project || project.pending_delete) return null
  const note = noteId === undefined ? null : await noteById(db, noteId)
  return noteId !== undefined && !note ? null : { project, issuable, note: note ?? null }
}

/** Whether a user can be sent mails at all: an active person with a confirmed address. */
const readsMail = ({ state, bot_kind, confirmed_at, removed_at }: UserRow): boolean =>
  state === 'active' && bot_kind === null && confirmed_at !== null && removed_at === null

/** Those of these users who may read what an occasion shows, now. */
async function readersAmong(
  platform: Platform,
  { type }: Occasion,
  { project, issuable, note }: Subject,
  userIds: readonly number[],
): Promise<number[]> {
  const db = platform.database.read
  const internal = note?.internal ?? false
  const readers = await kinds[type].readersOf(platform, db, issuable, userIds, { internal })
  const found = userIds.filter((id) => readers.has(id))
  if (!internal) return found
  const source = { kind: 'project', id: project.id, namespaceId: project.namespace_id } as const
  const today = dayOf(platform.clock.now())
  const planners = await usersWithRole(db, source, { userIds: found, today, least: role.planner })
  return found.filter((id) => planners.has(id))
}

/** A user who is told, and why. */
export type Recipient = { user: UserRow; reason: Reason }

/** Which of these users are told of an occasion, by the settings and rights of this moment; in a constant number of queries. */
export async function recipientsAmong(
  platform: Platform,
  occasion: Occasion,
  subject: Subject,
  userIds: readonly number[],
): Promise<Recipient[]> {
  const db = platform.database.read
  const { event, mentioned, added, removed, actorId } = occasion
  const [users, levels, parts, subscriptions] = await Promise.all([
    usersByIds(db, userIds),
    effectiveLevels(db, subject.project, userIds),
    partsOf(db, subject.issuable, userIds),
    subscriptionsOf(db, subject.issuable, userIds),
  ])
  const told = userIds.flatMap((id): Recipient[] => {
    const user = users.get(id)
    if (!user || id === actorId || !readsMail(user)) return []
    const reason = decide(
      {
        level: 'participating',
        choices: {},
        ...levels.get(id),
        parts: parts.get(id) ?? [],
        subscribed: subscriptions.get(id) ?? null,
        isMentioned: mentioned.includes(id),
        isConcerned: added.includes(id) || removed.includes(id),
      },
      event,
    )
    return reason === null ? [] : [{ user, reason }]
  })
  const ids = told.map(({ user }) => user.id)
  const readers = new Set(await readersAmong(platform, occasion, subject, ids))
  return told.filter(({ user }) => readers.has(user.id))
}

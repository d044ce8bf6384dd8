import { dayOf } from '../../../api/index.ts'
import { portionsOf, type Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role, usersWithRole } from '../../access/index.ts'
import type { Issuable } from '../../issuables/index.ts'
import { issueAnswers } from '../../issues/index.ts'
import { mergeRequestAnswers } from '../../merge-requests/index.ts'
import { type NoteRow, notesByIds } from '../../notes/index.ts'
import { pipelineById } from '../../pipelines/index.ts'
import { type ProjectRow, projectById, settingOf } from '../../projects/index.ts'
import { releaseById } from '../../releases/index.ts'
import { type UserRow, usersByIds } from '../../users/index.ts'
import { decide, type Reason } from './decide.ts'
import type { IssuableThread, Occasion, ThreadType } from './occasion.ts'
import { effectiveLevels, partsOf, subscriptionsOf } from './store.ts'

const kinds = { Issue: issueAnswers, MergeRequest: mergeRequestAnswers } as const

/** What a mail says of the object of an occasion. */
export type Shown = {
  type: ThreadType
  id: number
  /** Its number in the project; null of a release. */
  iid: number | null
  authorId: number | null
  title: string
  text: string
  /** Below the address of the project. */
  path: string
}

/** The object of an occasion as it is now, with the comments that a mail shows. */
export type Subject = { project: ProjectRow; shown: Shown; issuable: Issuable | null; comments: readonly NoteRow[] }

/** The longest text of a mail, in characters. */
export const longestText = 20_000

/** Comments of a review that are read at once; one may have a million characters. */
const commentsAtOnce = 20

/** The comments of an occasion that still are there, as many as a mail shows. */
async function commentsOf(db: Reader, { noteId, reviewNoteIds }: Occasion): Promise<NoteRow[]> {
  const found: NoteRow[] = []
  for (const ids of portionsOf(reviewNoteIds ?? (noteId === undefined ? [] : [noteId]), commentsAtOnce)) {
    const rows = await notesByIds(db, ids)
    found.push(...ids.flatMap((id) => rows.get(id) ?? []))
    if (found.reduce((sum, { body }) => sum + body.length, 0) > longestText) break
  }
  return found
}

const segments = { Issue: 'issues', MergeRequest: 'merge_requests' } as const

const shownIssuable = (type: IssuableThread, { id, iid, authorId, title, description }: Issuable): Shown => ({
  ...{ type, id, iid, authorId, title, text: description ?? '' },
  path: `${segments[type]}/${iid}`,
})

/** The states in which a pipeline is what a mail says. */
const states = { failed: 'failed', fixed: 'success', succeeded: 'success' } as const

/** A pipeline or a release; null when it is gone, or is no longer what the mail says. */
async function shownOther(db: Reader, { type, id, happening }: Occasion): Promise<[Shown, projectId: number] | null> {
  if (type === 'Pipeline') {
    const row = await pipelineById(db, id)
    if (!row || row.status !== states[happening as keyof typeof states]) return null
    const title = `Pipeline of ${row.ref} ${row.sha.slice(0, 8)}`
    const shown = { type, id, iid: row.iid, authorId: row.user_id, title, text: '', path: `pipelines/${id}` }
    return [shown, row.project_id]
  }
  const row = await releaseById(db, id)
  if (!row) return null
  const title = `Release ${row.name ?? row.tag}`
  const path = `releases/${encodeURIComponent(row.tag)}`
  const shown = { type, id, iid: null, authorId: row.author_id, title, text: row.description ?? '', path }
  return [shown, row.project_id]
}

/** The object of an occasion; null when it, its project or the comment is gone. */
export async function subjectOf({ database }: Platform, occasion: Occasion): Promise<Subject | null> {
  const db = database.read
  const { type, id, noteId } = occasion
  if (type === 'Pipeline' || type === 'Release') {
    const [shown, projectId] = (await shownOther(db, occasion)) ?? []
    const project = projectId === undefined ? null : await projectById(db, projectId)
    return shown && project && !project.pending_delete ? { project, shown, issuable: null, comments: [] } : null
  }
  const [issuable] = await kinds[type].byIds(db, [id])
  const project = issuable && (await projectById(db, issuable.projectId ?? 0))
  if (!issuable || !project || project.pending_delete) return null
  if (occasion.happening === 'due' && issuable.state !== 'opened') return null
  const comments = await commentsOf(db, occasion)
  const shown = shownIssuable(type, issuable)
  return noteId !== undefined && comments.length === 0 ? null : { project, shown, issuable, comments }
}

/** Whether a user can be sent mails at all: an active person with a confirmed address. */
const readsMail = ({ state, bot_kind, confirmed_at, removed_at }: UserRow): boolean =>
  state === 'active' && bot_kind === null && confirmed_at !== null && removed_at === null

/** The feature of a project that has pipelines, or releases. */
const features = { Pipeline: 'builds_access_level', Release: 'repository_access_level' } as const

/** Those of these users who may read what an occasion shows, now; of pipelines and releases only members who may read the code. */
async function readersAmong(
  platform: Platform,
  { project, shown: { type }, issuable, comments }: Subject,
  userIds: readonly number[],
): Promise<number[]> {
  const db = platform.database.read
  const source = { kind: 'project', id: project.id, namespaceId: project.namespace_id } as const
  const today = dayOf(platform.clock.now())
  if (type === 'Pipeline' || type === 'Release') {
    const isOff = [features[type], 'repository_access_level' as const].some(
      (name) => settingOf(project, name) === 'disabled',
    )
    const members = await usersWithRole(db, source, { userIds, today, least: role.reporter })
    return isOff ? [] : userIds.filter((id) => members.has(id))
  }
  if (!issuable) return []
  const internal = comments.some((comment) => comment.internal)
  const readers = await kinds[type].readersOf(platform, db, issuable, userIds, { internal })
  const found = userIds.filter((id) => readers.has(id))
  if (!internal) return found
  const planners = await usersWithRole(db, source, { userIds: found, today, least: role.planner })
  return found.filter((id) => planners.has(id))
}

/** A user who is notified, and why. */
export type Recipient = { user: UserRow; reason: Reason }

/** Which of these users are notified of an occasion, by the settings and rights of this moment; in a constant number of queries. */
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
    partsOf(db, subject.shown, userIds),
    subscriptionsOf(db, subject.shown, userIds),
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
  const readers = new Set(await readersAmong(platform, subject, ids))
  return told.filter(({ user }) => readers.has(user.id))
}

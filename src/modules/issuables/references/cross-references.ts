import type { Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { addTodo } from '../../notes/index.ts'
import { projectById } from '../../projects/index.ts'
import { usersByUsernames } from '../../users/index.ts'
import { answersOf } from '../answers.ts'
import type { ChangeOrigin, Issuable, ReadCommit } from '../issuable.ts'
import { addNamingNotes } from './notes.ts'
import { type Home, placesOf, referenceTo } from './paths.ts'
import { insertReference, replaceMentions, type Source, setReferenceNote } from './store.ts'
import { mentionsIn, referencesIn, type TextReference } from './text.ts'

const nouns = { Issue: 'issue', MergeRequest: 'merge request', Epic: 'epic' } as const

const homeOf = (source: Issuable | ReadCommit): Home =>
  source.type === 'Commit' ? { projectId: source.projectId, groupId: null } : source

function columnsOfSource(source: Issuable | ReadCommit): Source {
  if (source.type === 'Commit') {
    return { source_type: 'Commit', source_id: null, source_project_id: source.projectId, source_commit: source.sha }
  }
  const { type, id, projectId } = source
  return { source_type: type, source_id: id, source_project_id: projectId, source_commit: null }
}

/** What the system note of a mention says, seen from the issuable that is mentioned. */
async function mentionText(tx: Tx, source: Issuable | ReadCommit, target: Issuable): Promise<string> {
  if (source.type !== 'Commit') {
    return `mentioned in ${nouns[source.type]} ${await referenceTo(tx, source, target)}`
  }
  const isOwn = source.projectId === target.projectId
  const path = isOwn ? '' : `${(await projectById(tx, source.projectId))?.full_path ?? ''}@`
  return `mentioned in commit ${path}${source.sha}`
}

/** The issuables to which references are, those that a user may read. */
export async function readableTargets(
  platform: Platform,
  tx: Tx,
  references: readonly TextReference[],
  home: Home,
  userId: number,
): Promise<Issuable[]> {
  const found: Issuable[] = []
  for (const [type, places] of await placesOf(tx, references, home)) {
    const answers = answersOf(platform, type)
    for (const target of (await answers?.byPlaces(tx, places)) ?? []) {
      if ((await answers?.readersOf(platform, tx, target, [userId]))?.has(userId)) found.push(target)
    }
  }
  return found
}

/**
 * Writes a system note on each issuable that a text mentions, once per source (contract 16, "Rules"). Only what the author of
 * the text may read is mentioned.
 */
export async function recordReferences(
  platform: Platform,
  tx: Tx,
  source: Issuable | ReadCommit,
  text: string,
  origin: ChangeOrigin,
): Promise<void> {
  const references = referencesIn(text, platform.externalUrl)
  if (references.length === 0) return
  for (const target of await readableTargets(platform, tx, references, homeOf(source), origin.userId)) {
    if (source.type === target.type && source.id === target.id) continue
    const id = await insertReference(tx, target, columnsOfSource(source), origin.at)
    if (id === null) continue
    const body = await mentionText(tx, source, target)
    const [noteId] = await addNamingNotes(tx, [{ noteable: target, body, names: source }], origin)
    if (noteId !== undefined) await setReferenceNote(tx, id, noteId)
  }
}

/**
 * Stores the users that a text of an issuable mentions, and gives a to-do to each who is new and may read it (contract 16,
 * x.issue_note_create). @param noteId the note of the text; null for the description
 */
export async function recordMentions(
  platform: Platform,
  tx: Tx,
  issuable: Issuable,
  { text, noteId, internal = false }: { text: string; noteId: number | null; internal?: boolean },
  { userId: authorId }: ChangeOrigin,
): Promise<void> {
  const users = await usersByUsernames(tx, mentionsIn(text))
  const ids = users.map(({ id }) => id)
  const added = await replaceMentions(tx, issuable, noteId, ids)
  if (added.length === 0) return
  const readers = await answersOf(platform, issuable.type)?.readersOf(platform, tx, issuable, added, { internal })
  for (const userId of added) {
    if (userId === authorId || !readers?.has(userId)) continue
    await addTodo(platform, tx, issuable, { userId, authorId, action: 'mentioned', ...(noteId !== null && { noteId }) })
  }
}

/**
 * Follows a new or changed title and description of an issuable: cross references and mentions (contract 16,
 * x.issue_create). The caller has stored them.
 */
export async function followDescription(
  platform: Platform,
  tx: Tx,
  issuable: Issuable,
  origin: ChangeOrigin,
): Promise<void> {
  const description = issuable.description ?? ''
  await recordReferences(platform, tx, issuable, `${issuable.title}\n\n${description}`, origin)
  await recordMentions(platform, tx, issuable, { text: description, noteId: null }, origin)
}

import { type Actor, forbidden, isAdministrator, notFound, type PageRequest, unauthorized } from '../../../api/index.ts'
import { claim, isUniqueViolation, now } from '../../../infra/database/index.ts'
import { emojiName } from '../../../infra/emoji/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { presentingUsers, usersByIds } from '../../users/index.ts'
import type { NoteAccess, NoteableRef } from '../noteable.ts'
import type { AwardEmojiRow, NoteRow } from '../tables.ts'

import { type PresentedAward, presentAward } from './present.ts'
import { awardOf, deleteAward, insertAward, pageOfAwards, pageOfNoteAwards } from './store.ts'

/** A note as the target of award emoji. */
export function awardableNote(note: Pick<NoteRow, 'id' | 'project_id' | 'group_id'>): NoteableRef {
  const { id, project_id: projectId, group_id: groupId } = note
  return { type: 'Note', projectId, groupId, id, commitId: null }
}

async function present(platform: Platform, rows: readonly AwardEmojiRow[]): Promise<PresentedAward[]> {
  const ids = rows.map(({ user_id }) => user_id)
  const [users, presenting] = await Promise.all([usersByIds(platform.database.read, ids), presentingUsers(platform)])
  return rows.flatMap((row) => {
    const user = users.get(row.user_id)
    return user ? [presentAward(row, user, presenting)] : []
  })
}

async function presentOne(platform: Platform, row: AwardEmojiRow) {
  return (await present(platform, [row]))[0] as PresentedAward
}

/** A page of the award emoji of a noteable or a note, oldest first (contract 16, x.issue_award_list). */
export async function listAwards(platform: Platform, target: NoteableRef, page: PageRequest) {
  const found = await pageOfAwards(platform.database.read, target, page)
  return { ...found, items: await present(platform, found.items) }
}

/** A page of the award emoji of the comments that the caller may read, oldest first (contract 16, x.issue_notes_award_list). */
export async function listNoteAwards(platform: Platform, access: NoteAccess, page: PageRequest) {
  const { noteable, actor, mayReadInternal } = access
  const readable = mayReadInternal ? 'all' : { authorId: actor.kind === 'user' ? actor.userId : null }
  const found = await pageOfNoteAwards(platform.database.read, noteable, readable, page)
  return { ...found, items: await present(platform, found.items) }
}

/** @throws ApiError 404 (contract 16, x.issue_award_get) */
export async function getAward(platform: Platform, target: NoteableRef, id: number): Promise<PresentedAward> {
  const row = await awardOf(platform.database.read, target, id)
  if (!row) throw notFound('Award Emoji')
  return presentOne(platform, row)
}

/** Awards an emoji to a noteable or a note (contract 16, x.issue_award_create). @throws ApiError 404 with the reason */
export async function awardEmoji(platform: Platform, target: NoteableRef, actor: Actor, name: string) {
  if (actor.kind !== 'user') throw forbidden()
  const known = emojiName(name)
  if (known === null) throw notFound('Award Emoji Name is not a valid emoji name')
  const award = { userId: actor.userId, name: known, at: now(platform.clock) }
  const row = await platform.database
    .write(async (tx) => {
      const inserted = await insertAward(tx, target, award)
      await react(platform, tx, 'emoji.awarded', { awardId: inserted.id, projectId: target.projectId })
      return inserted
    })
    .catch((error) => {
      if (isUniqueViolation(error)) throw notFound('Award Emoji Name has already been taken')
      throw error
    })
  return presentOne(platform, row)
}

/** Removes an award emoji (contract 16, x.issue_award_delete). @throws ApiError 404; 401 for one of another user */
export async function removeAward(platform: Platform, target: NoteableRef, actor: Actor, id: number) {
  await platform.database.write(async (tx) => {
    const row = await claim(tx, 'award_emoji', () => awardOf(tx, target, id))
    if (!row) throw notFound('Award Emoji')
    const isOwn = actor.kind === 'user' && actor.userId === row.user_id
    if (!isOwn && !isAdministrator(actor)) throw unauthorized()
    await react(platform, tx, 'emoji.revoked', { awardId: id, projectId: target.projectId })
    await deleteAward(tx, id)
  })
}

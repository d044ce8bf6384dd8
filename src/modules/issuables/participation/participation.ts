import { type PageRequest, pageOfList } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type NoteAccess, subscribe, unsubscribe } from '../../notes/index.ts'
import { presentingUsers, presentUserBasic, usersByIds } from '../../users/index.ts'
import { answersOf } from '../answers.ts'
import type { Issuable } from '../issuable.ts'
import { participantsOf } from './store.ts'

/** Subscribes a user, or ends that (contract 16, x.issue_subscribe). @returns whether that was a change */
export async function setSubscription(platform: Platform, issuable: Issuable, userId: number, isOn: boolean) {
  return platform.database.write((tx) => (isOn ? subscribe : unsubscribe)(platform, tx, issuable, userId))
}

/** A page of the participants of an issuable, by id (contract 16, x.issue_participants). */
export async function listParticipants(
  platform: Platform,
  issuable: Issuable,
  { actor, mayReadInternal: internal = false }: NoteAccess,
  page: PageRequest,
) {
  const db = platform.database.read
  const scope = { internal, userId: actor.kind === 'user' ? actor.userId : null }
  const all = await participantsOf(db, issuable, scope)
  const mentioned = all.filter((one) => one.mentioned).map(({ user_id }) => user_id)
  const readers = await answersOf(platform, issuable.type)?.readersOf(platform, db, issuable, mentioned)
  const shown = all.filter((one) => !one.mentioned || readers?.has(one.user_id))
  const found = pageOfList(shown, page)
  const ids = found.items.map(({ user_id }) => user_id)
  const [users, presenting] = await Promise.all([usersByIds(db, ids), presentingUsers(platform)])
  const items = ids.flatMap((id) => {
    const user = users.get(id)
    return user ? [presentUserBasic(user, presenting)] : []
  })
  return { ...found, items }
}

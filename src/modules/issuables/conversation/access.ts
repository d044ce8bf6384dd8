import { type Actor, isAdministrator, isSentByAdministrator } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import type { NoteAccess } from '../../notes/index.ts'
import type { Issuable } from '../issuable.ts'
import { unreadableNotes } from '../references/read.ts'

/** The part of the access that depends on the kind. */
type Extras = {
  /** The role of the caller in the project or group. */
  level: number
  /** Of kinds whose threads can be resolved: whether the caller may. */
  mayResolve?: boolean
}

/** What a caller may do with the notes of an issuable (contract 16, "Permissions" and "Operations: notes and discussions"). */
export function noteAccess(
  platform: Platform,
  issuable: Issuable,
  actor: Actor,
  { level: given, mayResolve }: Extras,
): NoteAccess {
  const level = isAdministrator(actor) ? role.owner : given
  return {
    noteable: issuable,
    actor,
    mayModerate: level >= role.maintainer,
    mayBackdate: isSentByAdministrator(actor) || level >= role.owner,
    mayReadInternal: level >= role.planner,
    mayComment: !issuable.discussionLocked || level >= role.guest,
    ...(mayResolve !== undefined && { mayResolve }),
    unreadableAmong: (noteIds) => unreadableNotes(platform, actor, noteIds),
  }
}

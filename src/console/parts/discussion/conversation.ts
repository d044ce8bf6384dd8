import type { Operation } from '../../../api/index.ts'
import { named, namedIfAny } from '../../operations.ts'

/** Operations on the reactions to an object. */
type Reacting = { list: Operation; create: Operation; delete: Operation }

/** The operations on the discussion of an object. Kinds of objects have some of them. */
export type Conversation = {
  /** Lists the discussions, oldest first. */
  list: Operation
  /** Writes a single comment. Quick actions in it are run, where the kind has them. */
  comment: Operation
  /** Starts a thread. */
  start: Operation | null
  reply: Operation
  update: Operation
  delete: Operation
  /** Resolves a thread, or opens it again. */
  resolve: Operation | null
  /** Reactions to the object itself. */
  awards: Reacting | null
  /** Reactions to its comments; `list` has those of all of them. */
  noteAwards: Reacting | null
  /** Lists of the changes of its labels, state and so on. */
  events: readonly Operation[]
}

function reactingBy(prefix: string, lists = `${prefix}.list`): Reacting | null {
  const [list, create, remove] = [lists, `${prefix}.create`, `${prefix}.delete`].map(namedIfAny)
  return list && create && remove ? { list, create, delete: remove } : null
}

const kindsOfEvents = ['label', 'milestone', 'iteration', 'weight', 'state']

/** The operations of a kind of objects, by the beginning of their ids: `issue`, `merge_request`, `commit`. */
export function conversationOf(kind: string): Conversation {
  const start = named(`${kind}_discussions.create`)
  const comment = namedIfAny(`${kind}_notes.create`)
  return {
    list: named(`${kind}_discussions.list`),
    comment: comment ?? start,
    start: comment ? start : null,
    reply: named(`${kind}_discussions.reply`),
    update: named(`${kind}_discussions.update_note`),
    delete: named(`${kind}_discussions.delete_note`),
    resolve: namedIfAny(`${kind}_discussions.resolve`),
    awards: reactingBy(`${kind}_awards`),
    noteAwards: reactingBy(`${kind}_note_awards`, `${kind}_note_awards.list_all`),
    events: kindsOfEvents.flatMap((name) => namedIfAny(`${kind}_${name}_events.list`) ?? []),
  }
}

/** What a page with a discussion performs by forms. */
export function performedIn({ awards, noteAwards, ...of }: Conversation): readonly Operation[] {
  const reactions = [awards, noteAwards].flatMap((one) => (one ? [one.create, one.delete] : []))
  return [of.comment, of.start, of.reply, of.update, of.delete, of.resolve, ...reactions].filter((one) => one !== null)
}

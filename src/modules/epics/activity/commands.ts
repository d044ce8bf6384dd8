import { role } from '../../access/index.ts'
import { type CommandKind, type Issuable, noteCommands } from '../../issuables/index.ts'
import { callerLevel, type ProjectOrGroupRef } from '../../projects/index.ts'
import type { Epic } from '../core/access.ts'
import { updateEpicOf } from '../core/epics.ts'
import { noteableOf } from '../core/load.ts'

/** The epic as all kinds of issuables are. */
export function issuableOf(row: Epic): Issuable {
  const { author_id: authorId, title, description, state, confidential } = row
  return { ...noteableOf(row), authorId, title, description, state, confidential, discussionLocked: false }
}

/** The group whose labels an epic can have. */
export const groupOf = ({ group: { id } }: Epic): ProjectOrGroupRef => ({ kind: 'group', id, namespaceId: id })

/** The quick actions of epics (contract 26 R1). */
const epicCommands: CommandKind<Epic> = {
  issuableOf,
  parentOf: groupOf,
  shared: [
    ...(['close', 'reopen', 'title', 'confidential', 'label', 'unlabel', 'relabel'] as const),
    ...(['subscribe', 'unsubscribe'] as const),
  ],
  rightsOf({ group }, actor) {
    const isPlanner = callerLevel(actor, group) >= role.planner
    return { mayChange: isPlanner, mayPlan: isPlanner }
  },
  update: (platform, epic, actor, { title, state_event, confidential, labels, add_labels, remove_labels }) =>
    updateEpicOf(platform, epic, actor, {
      ...(title !== undefined && { title }),
      ...(state_event !== undefined && { state_event }),
      ...(confidential !== undefined && { confidential }),
      ...(labels !== undefined && { labels }),
      ...(add_labels !== undefined && { add_labels }),
      ...(remove_labels !== undefined && { remove_labels }),
    }),
}

/** Runs the quick actions in a note. */
export const quickActions = noteCommands(epicCommands)

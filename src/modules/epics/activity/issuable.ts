import type { Issuable } from '../../issuables/index.ts'
import type { ProjectOrGroupRef } from '../../projects/index.ts'
import type { Epic } from '../core/access.ts'
import { noteableOf } from '../core/load.ts'

/** The epic as all kinds of issuables are. */
export function issuableOf(row: Epic): Issuable {
  const { author_id: authorId, title, description, state, confidential } = row
  return { ...noteableOf(row), authorId, title, description, state, confidential, discussionLocked: false }
}

/** The group whose labels an epic can have. */
export const groupOf = ({ group: { id } }: Epic): ProjectOrGroupRef => ({ kind: 'group', id, namespaceId: id })

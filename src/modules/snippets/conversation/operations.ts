import { type Actor, isSentByAdministrator } from '../../../api/index.ts'
import { nested, pathNumber } from '../../../platform/index.ts'
import { type ProjectAbility, role } from '../../access/index.ts'
import { conversationOperations, type NoteAccess } from '../../notes/index.ts'
import { callerLevel, type Project, project } from '../../projects/index.ts'
import { readableSnippet } from '../core/access.ts'
import type { SnippetRow } from '../tables.ts'

type ProjectSnippet = SnippetRow & { project: Project }

/** A snippet of a project; personal ones have no notes (contract 26 R1). */
const projectSnippet = nested(project, {
  name: 'snippet',
  parameter: 'snippet_id',
  read: 'read_snippets',
  noun: 'Snippet',
  async find(platform, parent, id, actor): Promise<ProjectSnippet | null> {
    const found = await readableSnippet(platform, { project: parent }, actor, pathNumber('snippet_id', id))
    return found && { ...found, project: parent }
  },
  parentOf: ({ project: parent }) => parent,
})

/** What a caller may do with the notes of a snippet. They are not internal, and its author has no right over those of others. */
function accessOf({ id, project: { id: projectId, role: own } }: ProjectSnippet, actor: Actor): NoteAccess {
  const level = callerLevel(actor, own)
  return {
    noteable: { type: 'Snippet', projectId, id, iid: null, commitId: null },
    actor,
    mayModerate: level >= role.maintainer,
    mayBackdate: isSentByAdministrator(actor) || level >= role.owner,
  }
}

/** Notes, threads and reactions of snippets (contract 26 R1). */
export const conversation = conversationOperations<ProjectSnippet, ProjectAbility>({
  name: 'snippet',
  contract: 'snippet',
  noun: 'a snippet',
  tag: 'Snippets',
  path: '/projects/:id/snippets/:snippet_id',
  subject: projectSnippet,
  show: 'read_snippets',
  read: 'list_snippets',
  write: 'comment_on_snippets',
  accessOf,
})

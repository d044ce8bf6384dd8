import type { Operation } from '../api/index.ts'
import { renderMarkdown } from '../infra/markdown/index.ts'
import { createCommitWriter } from '../modules/commits/index.ts'
import { commitNoteOperations, createCommitNotes } from '../modules/notes/index.ts'
import { createWikiModule } from '../modules/wikis/index.ts'
import type { Ground } from './ground.ts'

/** What is in repositories, read and written, and what is said of it. */
export type Code = ReturnType<typeof composeCode>

export function composeCode(ground: Ground) {
  const { policy, project } = ground
  const wikis = createWikiModule({ ...ground, renderMarkdown, writer: createCommitWriter(ground) })
  const notesPerMinute = async () => (await policy()).notes_create_limit
  const operations: Operation[] = [
    ...commitNoteOperations({ notes: createCommitNotes({ ...ground, notesPerMinute }), project }),
    ...wikis.operations,
  ]
  return { operations, wikis }
}

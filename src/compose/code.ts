import type { Operation } from '../api/index.ts'
import { renderMarkdown } from '../infra/markdown/index.ts'
import { createCommitWriter } from '../modules/commits/index.ts'
import { commitNoteOperations, createCommitNotes } from '../modules/notes/index.ts'
import { mayCreateTag, protectedTagTest } from '../modules/protected-tags/index.ts'
import { releasesOfTags } from '../modules/releases/index.ts'
import { createTags, tagOperations } from '../modules/tags/index.ts'
import { createWikiModule } from '../modules/wikis/index.ts'
import { bound } from '../platform/index.ts'
import type { Ground } from './ground.ts'
import type { Refs } from './refs.ts'

/** What is in repositories, read and written, and what is said of it. */
export type Code = ReturnType<typeof composeCode>

export function composeCode(ground: Ground, refs: Refs) {
  const { database, policy, project } = ground
  const wikis = createWikiModule({ ...ground, renderMarkdown, writer: createCommitWriter(ground) })
  const tags = createTags({
    ...ground,
    makeTag: refs.makeTag,
    ...bound(ground, { mayCreateTag, protectedTagTest }),
    releasesOf: releasesOfTags({ database }),
  })
  const notesPerMinute = async () => (await policy()).notes_create_limit
  const operations: Operation[] = [
    ...tagOperations({ tags, project }),
    ...commitNoteOperations({ notes: createCommitNotes({ ...ground, notesPerMinute }), project }),
    ...wikis.operations,
  ]
  return { operations, wikis }
}

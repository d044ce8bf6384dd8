import type { Operation } from '../api/index.ts'
import { renderMarkdown } from '../infra/markdown/index.ts'
import { archiveOperations, createArchives } from '../modules/archives/index.ts'
import { createCommitReading, createCommitWriting } from '../modules/commits/index.ts'
import {
  createFiles,
  createFileWriting,
  createSubmodules,
  createTrees,
  fileReadingOperations,
  fileWritingOperations,
  submoduleOperations,
} from '../modules/files/index.ts'
import { commitNoteOperations, createCommitNotes } from '../modules/notes/index.ts'
import { createPipelineFacts, createStatuses, statusOperations } from '../modules/pipelines/index.ts'
import { mayMerge, mayPush } from '../modules/protected-branches/index.ts'
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
  const { mayPush: mayPushTo } = bound(ground, { mayPush })
  const commitReading = createCommitReading({ ...ground, pipelineOf: createPipelineFacts(ground) })
  const { presentDetail } = commitReading
  const commitWriting = createCommitWriting({
    ...ground,
    ...{ presentDetail, mayPush: mayPushTo },
    commitEmailHostname: async () => (await policy()).commit_email_hostname,
  })
  const { writer } = commitWriting
  const wikis = createWikiModule({ ...ground, renderMarkdown, writer })
  const tags = createTags({
    ...ground,
    makeTag: refs.makeTag,
    ...bound(ground, { mayCreateTag, protectedTagTest }),
    releasesOf: releasesOfTags({ database }),
  })
  const notesPerMinute = async () => (await policy()).notes_create_limit
  const operations: Operation[] = [
    ...tagOperations({ tags, project }),
    ...commitReading.operations,
    ...commitWriting.operations,
    ...commitNoteOperations({ notes: createCommitNotes({ ...ground, notesPerMinute }), project }),
    ...statusOperations({
      statuses: createStatuses({ ...ground, ...bound(ground, { mayPush, mayMerge, mayCreateTag }) }),
      project,
    }),
    ...fileReadingOperations({
      files: createFiles({ ...ground, lfsContent: refs.lfs.contentOf }),
      trees: createTrees(ground),
      project,
    }),
    ...fileWritingOperations({ files: createFileWriting({ ...ground, writer }), project }),
    ...submoduleOperations({ submodules: createSubmodules({ ...ground, writer }), presentDetail, project }),
    ...archiveOperations({ archives: createArchives(ground), project }),
    ...wikis.operations,
  ]
  return { operations, wikis }
}

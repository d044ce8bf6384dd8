import type { Operation } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import type { Database } from '../../infra/database/index.ts'
import { randomHex } from '../../infra/secrets/index.ts'
import type { CommitWriter } from '../commits/index.ts'
import type { GroupSubject } from '../groups/index.ts'
import type { ProjectSubject } from '../projects/index.ts'
import type { Repositories, RepositoryRow } from '../repositories/index.ts'
import type { Settings } from '../settings/index.ts'
import { createWikiAttachments } from './attachments.ts'
import { wikiOperations } from './operations.ts'
import { createPageReading } from './page-reading.ts'
import { createPageWriting } from './page-writing.ts'
import { createWikiRepositories, type WikiOwner } from './repository.ts'
import { createWikiWriter } from './writing.ts'

export type WikiModuleNeeds = {
  database: Database
  clock: Clock
  repositories: Repositories
  settings: Pick<Settings, 'current'>
  writer: CommitWriter
  /** Name of the default branch where nothing else is said. */
  defaultBranchName(): Promise<string>
  /** From 0 up to, not including, 1. */
  random(): number
  renderMarkdown(text: string): string
  project: ProjectSubject
  group: GroupSubject
}

export type WikiModule = {
  operations: Operation[]
  /**
   * The repository of a wiki, for git.
   * @param options.make whether it is made where there is none yet; else that is null
   */
  repositoryOf(owner: WikiOwner, options: { make: boolean }): Promise<RepositoryRow | null>
}

const megabyte = 1024 * 1024

/** The wikis of projects and groups (contract 22 R8). */
export function createWikiModule(needs: WikiModuleNeeds): WikiModule {
  const { settings } = needs
  const repositories = createWikiRepositories({
    ...needs,
    storageWeights: async () => (await settings.current()).repository_storages_weighted,
  })
  const writer = createWikiWriter({ repositories, writer: needs.writer })
  const reading = createPageReading({ ...needs, repositories })
  const writing = createPageWriting({
    ...{ repositories, writer, reading },
    maximumContentBytes: async () => (await settings.current()).wiki_page_max_content_bytes,
  })
  const attachments = createWikiAttachments({
    writer,
    maximumFileBytes: async () => (await settings.current()).max_attachment_size * megabyte,
    newSecret: () => randomHex(16),
  })
  return {
    operations: wikiOperations({ ...{ reading, writing, attachments }, project: needs.project, group: needs.group }),
    repositoryOf: (owner, { make }) => (make ? repositories.ensure(owner) : repositories.find(owner)),
  }
}

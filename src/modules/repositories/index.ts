// For modules of the old shape; goes with the last of them.
import type { Database } from '../../infra/database/index.ts'
import type { FirstCommit, Repositories, RepositoryKind } from '../../platform/repositories/index.ts'

export type { AppliedChange, ProposedChange, RecordRefs } from '../../platform/index.ts'
export * from '../../platform/repositories/index.ts'

type Owner = { id: number }
export type OpeningNeeds = { database: Database; repositories: Repositories }

export const openRepository = ({ repositories }: OpeningNeeds, project: Owner, kind?: RepositoryKind) =>
  repositories.openOf(project, kind)
export const openRepositoryForWriting = ({ repositories }: OpeningNeeds, project: Owner, kind?: RepositoryKind) =>
  repositories.openForWriting(project, kind)
export const makeFirstCommit = (repositories: Repositories, _clock: unknown, commit: FirstCommit) =>
  repositories.makeFirstCommit(commit)

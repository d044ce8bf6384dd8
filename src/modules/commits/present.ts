import { forms, nullable, type Static, Type } from '../../api/index.ts'
import type { Commit, DiffStats, Trailer } from '../../infra/git/index.ts'
import { valuesByName } from '../../infra/grouping/index.ts'

/** A commit as other objects embed it (contract 01, Commit). */
export const CommitSummary = Type.Object(
  {
    id: Type.String(),
    short_id: Type.String(),
    created_at: forms.timestamp,
    parent_ids: forms.strings,
    title: Type.String(),
    message: Type.String(),
    author_name: Type.String(),
    author_email: Type.String(),
    authored_date: forms.timestamp,
    committer_name: Type.String(),
    committer_email: Type.String(),
    committed_date: forms.timestamp,
    trailers: Type.Record(Type.String(), Type.String()),
    extended_trailers: Type.Record(Type.String(), Type.Array(Type.String())),
    web_url: Type.String(),
  },
  { title: 'Commit' },
)

const keyOf = ({ key }: Trailer) => key
const textOf = ({ value }: Trailer) => value

/**
 * A commit without its extended trailers, which only a list gives, on request: clients in Go read their values as text
 * (contract 22, Commit).
 * @param projectUrl web address of the project
 */
export function presentCommit(commit: Commit, projectUrl: string) {
  const lastValues = new Map(commit.trailers.map(({ key, value }) => [key, value]))
  return {
    id: commit.oid,
    short_id: commit.oid.slice(0, 8),
    created_at: commit.committer.date,
    parent_ids: [...commit.parentOids],
    title: commit.title,
    message: commit.message,
    author_name: commit.author.name,
    author_email: commit.author.email,
    authored_date: commit.author.date,
    committer_name: commit.committer.name,
    committer_email: commit.committer.email,
    committed_date: commit.committer.date,
    trailers: Object.fromEntries(lastValues),
    extended_trailers: {} as Record<string, string[]>,
    web_url: `${projectUrl}/-/commit/${commit.oid}`,
  }
}

const CommitStats = Type.Object({ additions: Type.Integer(), deletions: Type.Integer(), total: Type.Integer() })

/** A commit in a list, with line counts on request. */
export const ListedCommit = Type.Object(
  { ...CommitSummary.properties, stats: Type.Optional(CommitStats) },
  { title: 'ListedCommit' },
)

/** The newest pipeline of a commit (contract 22, Commit: last_pipeline). */
export const CommitPipeline = Type.Object(
  {
    id: forms.id,
    iid: forms.id,
    project_id: forms.id,
    sha: Type.String(),
    ref: forms.nullableString,
    status: Type.String(),
    source: forms.nullableString,
    created_at: forms.timestamp,
    updated_at: forms.timestamp,
    web_url: Type.String(),
  },
  { title: 'CommitPipeline' },
)
export type CommitPipeline = Static<typeof CommitPipeline>

/** A commit with its pipeline (contract 22, CommitDetail). */
export const CommitDetail = Type.Object(
  {
    ...ListedCommit.properties,
    status: forms.nullableString,
    project_id: forms.id,
    last_pipeline: nullable(CommitPipeline),
  },
  { title: 'CommitDetail' },
)

const presentStats = (stats: DiffStats | undefined) =>
  stats ? { stats: { ...stats, total: stats.additions + stats.deletions } } : {}

/** A commit in a list. @param options.withTrailers whether the trailers are filled in; their members are always present */
export function presentListedCommit(
  commit: Commit,
  projectUrl: string,
  { stats, withTrailers }: { stats?: DiffStats; withTrailers: boolean },
) {
  const presented = presentCommit(commit, projectUrl)
  const trailers = withTrailers ? { extended_trailers: valuesByName(commit.trailers, keyOf, textOf) } : { trailers: {} }
  return { ...presented, ...trailers, ...presentStats(stats) }
}

/** A commit as shown alone, and after its creation. */
export function presentCommitDetail(
  commit: Commit,
  { stats, pipeline, project }: { stats?: DiffStats; pipeline?: CommitPipeline; project: { id: number; url: string } },
) {
  return {
    ...presentCommit(commit, project.url),
    ...presentStats(stats),
    status: pipeline?.status ?? null,
    project_id: project.id,
    last_pipeline: pipeline ?? null,
  }
}

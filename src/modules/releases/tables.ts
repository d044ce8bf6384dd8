/** Releases of projects, one for each tag, with their links, evidence and milestones (contract 22, Release). */
import { type RowOf, type TableOf, type TablesOf, t, table } from '../../infra/database/index.ts'

export const releases = table(
  'releases',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    tag: t.name(),
    /** Null when the name is that of the tag. */
    name: t.text().nullable(),
    description: t.text().nullable(),
    /** The commit of the tag, updated when the tag moves; null when the tag does not lead to a commit. */
    sha: t.text().nullable(),
    author_id: t.refers('users', 'set null').nullable(),
    released_at: t.time(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: { tag: ['project_id', 'tag'] },
    indexes: {
      created: ['project_id', 'created_at', 'id'],
      author: ['author_id'],
      order_released: ['released_at', 'id'],
      order_created: ['created_at', 'id'],
      released: ['project_id', 'released_at', 'id', 'updated_at'],
    },
  },
)

export const linkTypes = ['other', 'runbook', 'image', 'package'] as const
export type LinkType = (typeof linkTypes)[number]

export const releaseLinks = table(
  'release_links',
  {
    id: t.id(),
    release_id: t.refers('releases', 'cascade'),
    name: t.name(),
    url: t.name(),
    /** The path below the release's address, with a leading slash. */
    filepath: t.name().nullable(),
    link_type: t.text<LinkType>(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: { url: ['release_id', 'url'], name: ['release_id', 'name'], filepath: ['release_id', 'filepath'] },
    indexes: { order: ['release_id', 'id'] },
  },
)
export type ReleaseLinksTable = TableOf<typeof releaseLinks>

export const releaseEvidences = table(
  'release_evidences',
  {
    id: t.id(),
    release_id: t.refers('releases', 'cascade'),
    /** The job that collected it; a job that runs twice inserts one row. */
    job_id: t.bigint(),
    /** SHA-256 of the summary. */
    sha: t.text(),
    /** JSON, to the byte. */
    summary: t.text(),
    collected_at: t.time(),
  },
  {
    unique: { job: ['release_id', 'job_id'] },
    indexes: { order: ['release_id', 'id'] },
  },
)
export type ReleaseEvidencesTable = TableOf<typeof releaseEvidences>

export const releaseMilestones = table(
  'release_milestones',
  {
    release_id: t.refers('releases', 'cascade'),
    milestone_id: t.refers('milestones', 'cascade'),
  },
  {
    primaryKey: ['release_id', 'milestone_id'],
    indexes: { milestone: ['milestone_id'] },
  },
)

export type ReleaseRow = RowOf<typeof releases>
export type LinkRow = RowOf<typeof releaseLinks>
/** An evidence without its summary, which may be long. */
export type EvidenceRow = Omit<RowOf<typeof releaseEvidences>, 'summary'>

declare module '../../infra/database/tables.ts' {
  interface Tables
    extends TablesOf<typeof releases | typeof releaseLinks | typeof releaseEvidences | typeof releaseMilestones> {}
}

import type { Generated, Selectable } from 'kysely'

export type ReleasesTable = {
  id: Generated<number>
  project_id: number
  tag: string
  /** Null when the name is that of the tag. */
  name: string | null
  description: string | null
  /** The commit of the tag, updated when the tag moves; null when the tag does not lead to a commit. */
  sha: string | null
  author_id: number | null
  released_at: string
  created_at: string
  updated_at: string
}

export const linkTypes = ['other', 'runbook', 'image', 'package'] as const
export type LinkType = (typeof linkTypes)[number]

export type ReleaseLinksTable = {
  id: Generated<number>
  release_id: number
  name: string
  url: string
  /** The path below the release's address, with a leading slash. */
  filepath: string | null
  link_type: LinkType
  created_at: string
  updated_at: string
}

export type ReleaseEvidencesTable = {
  id: Generated<number>
  release_id: number
  /** The job that collected it; a job that runs twice inserts one row. */
  job_id: number
  /** SHA-256 of the summary. */
  sha: string
  /** JSON, to the byte. */
  summary: string
  collected_at: string
}

export type ReleaseMilestonesTable = { release_id: number; milestone_id: number }

export type ReleaseRow = Selectable<ReleasesTable>
export type LinkRow = Selectable<ReleaseLinksTable>
/** An evidence without its summary, which may be long. */
export type EvidenceRow = Omit<Selectable<ReleaseEvidencesTable>, 'summary'>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    releases: ReleasesTable
    release_links: ReleaseLinksTable
    release_evidences: ReleaseEvidencesTable
    release_milestones: ReleaseMilestonesTable
  }
}

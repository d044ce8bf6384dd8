import type { Generated, Selectable } from 'kysely'

export type ReleasesTable = {
  id: Generated<number>
  project_id: number
  tag: string
  /** Null where it is called like its tag. */
  name: string | null
  description: string | null
  /** The commit that the tag leads to, kept true when the tag moves; null where it leads to something else. */
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
  /** Under which path below the release it is found, beginning with a slash. */
  filepath: string | null
  link_type: LinkType
  created_at: string
  updated_at: string
}

export type ReleaseEvidencesTable = {
  id: Generated<number>
  release_id: number
  /** The job that collected it, so that one that runs twice leaves one. */
  job_id: number
  /** SHA-256 of the summary. */
  sha: string
  /** JSON, to the byte. */
  summary: string
  collected_at: string
}

export type ReleaseRow = Selectable<ReleasesTable>
export type LinkRow = Selectable<ReleaseLinksTable>
/** An evidence without what it says, which may be long. */
export type EvidenceRow = Omit<Selectable<ReleaseEvidencesTable>, 'summary'>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    releases: ReleasesTable
    release_links: ReleaseLinksTable
    release_evidences: ReleaseEvidencesTable
  }
}

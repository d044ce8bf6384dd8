import { forms, nullable, type Static, Type } from '../../../api/index.ts'
import type { Commit } from '../../../infra/git/index.ts'
import { CommitSummary, presentCommit } from '../../commits/index.ts'
import { Milestone, type PresentedMilestone } from '../../milestones/index.ts'
import type { Project } from '../../projects/index.ts'
import { type PresentingUsers, presentUserBasic, UserBasic, type UserRow } from '../../users/index.ts'
import { commitPath, evidenceUrl, relatedLinks, sourcesOf, tagPath } from '../addresses.ts'
import { presentLink, ReleaseLink } from '../links/present.ts'
import type { EvidenceRow, LinkRow, ReleaseRow } from '../tables.ts'

const Evidence = Type.Object({ sha: Type.String(), filepath: Type.String(), collected_at: forms.timestamp })
const Source = Type.Object({ format: Type.String(), url: Type.String() })
const text = Type.Optional(Type.String())

const Assets = Type.Object({
  count: Type.Integer(),
  sources: Type.Optional(Type.Array(Source)),
  links: Type.Array(ReleaseLink),
  evidence_file_path: text,
})

const RelatedLinks = Type.Object({
  closed_issues_url: text,
  closed_merge_requests_url: text,
  edit_url: text,
  merged_merge_requests_url: text,
  opened_issues_url: text,
  opened_merge_requests_url: text,
  self: text,
})

/** A release (contract 22, Release). Members that come from the code are absent for callers who may not read it. */
export const Release = Type.Object(
  {
    name: Type.String(),
    tag_name: text,
    description: forms.nullableString,
    description_html: text,
    created_at: forms.timestamp,
    released_at: forms.timestamp,
    upcoming_release: Type.Boolean(),
    author: Type.Optional(nullable(UserBasic)),
    commit: Type.Optional(nullable(CommitSummary)),
    milestones: Type.Optional(Type.Array(Milestone)),
    commit_path: text,
    tag_path: text,
    assets: Type.Optional(Assets),
    evidences: Type.Optional(Type.Array(Evidence)),
    _links: Type.Optional(RelatedLinks),
  },
  { title: 'Release' },
)
export type PresentedRelease = Static<typeof Release>

/** The facts shown with a release to one caller. */
export type ReleaseFacts = {
  release: ReleaseRow
  project: Project
  author: UserRow | undefined
  commit: Commit | undefined
  links: readonly LinkRow[]
  evidences: readonly EvidenceRow[]
  milestones: readonly PresentedMilestone[]
  descriptionHtml: string | undefined
  readsCode: boolean
  mayEdit: boolean
}

/** The name for callers who may not read the code does not show the name of the tag. */
function nameOf({ release, readsCode }: ReleaseFacts): string {
  if (readsCode) return release.name ?? release.tag
  return release.name === null || release.name === release.tag ? `Release-${release.id}` : release.name
}

/** The short form of a release (`simple` of x.group_releases). */
export function presentBasicRelease(facts: ReleaseFacts, now: string): PresentedRelease {
  const { release, readsCode, descriptionHtml } = facts
  return {
    name: nameOf(facts),
    ...(readsCode ? { tag_name: release.tag } : {}),
    description: release.description,
    ...(descriptionHtml === undefined ? {} : { description_html: descriptionHtml }),
    created_at: release.created_at,
    released_at: release.released_at,
    upcoming_release: release.released_at > now,
  }
}

/** The members for callers who may read the code. */
function codeOf({ release, project, commit, evidences, mayEdit }: ReleaseFacts, externalUrl: string) {
  const location = { externalUrl, project, tag: release.tag }
  return {
    commit: commit ? presentCommit(commit, `${externalUrl}/${project.full_path}`) : null,
    ...(commit ? { commit_path: commitPath(location, commit.oid) } : {}),
    tag_path: tagPath(location),
    evidences: evidences.map(({ id, sha, collected_at }) => ({
      sha,
      filepath: evidenceUrl(location, id),
      collected_at,
    })),
    _links: relatedLinks(location, mayEdit),
  }
}

function assetsOf({ release, project, links, evidences, readsCode }: ReleaseFacts, externalUrl: string) {
  const location = { externalUrl, project, tag: release.tag }
  const shown = links.map((link) => presentLink(link, location, readsCode))
  if (!readsCode) return { count: shown.length, links: shown }
  const sources = sourcesOf(location)
  const [newest] = evidences
  const evidence = newest ? { evidence_file_path: evidenceUrl(location, newest.id) } : {}
  return { count: shown.length + sources.length, sources, links: shown, ...evidence }
}

/** @param presenting `now` decides whether the release is upcoming */
export function presentRelease(facts: ReleaseFacts, presenting: PresentingUsers): PresentedRelease {
  const { author, readsCode } = facts
  return {
    ...presentBasicRelease(facts, presenting.now),
    author: author ? presentUserBasic(author, presenting) : null,
    milestones: [...facts.milestones],
    assets: assetsOf(facts, presenting.externalUrl),
    ...(readsCode ? codeOf(facts, presenting.externalUrl) : { _links: {} }),
  }
}

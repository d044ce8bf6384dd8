import { forms, nullable, type Static, Type } from '../../api/index.ts'
import type { Commit } from '../../infra/git/index.ts'
import { CommitSummary, presentCommit } from '../commits/index.ts'
import type { Project } from '../projects/index.ts'
import { type PresentingUsers, presentUserBasic, UserBasic, type UserRow } from '../users/index.ts'
import {
  commitPath,
  downloadUrl,
  evidenceUrl,
  linksAround,
  type ReleasePlace,
  sourcesOf,
  tagPath,
} from './addresses.ts'
import { type EvidenceRow, type LinkRow, linkTypes, type ReleaseRow } from './tables.ts'

/** A link of a release (contract 22, Link). */
export const ReleaseLink = Type.Object(
  {
    id: forms.id,
    name: Type.String(),
    url: Type.String(),
    direct_asset_url: Type.String(),
    link_type: Type.Unsafe<LinkRow['link_type']>({ type: 'string', enum: [...linkTypes] }),
  },
  { title: 'ReleaseLink' },
)
export type PresentedLink = Static<typeof ReleaseLink>

const Evidence = Type.Object({ sha: Type.String(), filepath: Type.String(), collected_at: forms.timestamp })
const Source = Type.Object({ format: Type.String(), url: Type.String() })
const Milestone = Type.Object({ id: forms.id, iid: forms.id, title: Type.String() })
const text = Type.Optional(Type.String())

const Assets = Type.Object({
  count: Type.Integer(),
  sources: Type.Optional(Type.Array(Source)),
  links: Type.Array(ReleaseLink),
  evidence_file_path: text,
})

const LinksAround = Type.Object({
  closed_issues_url: text,
  closed_merge_requests_url: text,
  edit_url: text,
  merged_merge_requests_url: text,
  opened_issues_url: text,
  opened_merge_requests_url: text,
  self: text,
})

/** A release (contract 22, Release). What comes from the code is left out for those who may not read it. */
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
    _links: Type.Optional(LinksAround),
  },
  { title: 'Release' },
)
export type PresentedRelease = Static<typeof Release>

/** Everything that is shown of a release to a certain caller, loaded. */
export type ReleaseFacts = {
  release: ReleaseRow
  project: Project
  author: UserRow | undefined
  commit: Commit | undefined
  links: readonly LinkRow[]
  evidences: readonly EvidenceRow[]
  descriptionHtml: string | undefined
  readsCode: boolean
  mayEdit: boolean
}

function placeOf({ release, project }: Pick<ReleaseFacts, 'release' | 'project'>, externalUrl: string): ReleasePlace {
  return { externalUrl, project, tag: release.tag }
}

export function presentLink(link: LinkRow, place: ReleasePlace, readsCode = true): PresentedLink {
  const { id, name, url, filepath, link_type } = link
  // The address below the release tells the name of its tag.
  const direct = filepath === null || !readsCode ? url : downloadUrl(place, filepath)
  return { id, name, url, direct_asset_url: direct, link_type }
}

/** Who may not read the code is not told what the tag is called, which many a release is named for. */
function nameOf({ release, readsCode }: ReleaseFacts): string {
  if (readsCode) return release.name ?? release.tag
  return release.name === null || release.name === release.tag ? `Release-${release.id}` : release.name
}

/** A release with little more than its name (`simple` of x.group_releases). */
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

/** What those see who may read the code. */
function codeOf({ release, project, commit, evidences, mayEdit }: ReleaseFacts, externalUrl: string) {
  const place = placeOf({ release, project }, externalUrl)
  return {
    commit: commit ? presentCommit(commit, `${externalUrl}/${project.full_path}`) : null,
    ...(commit ? { commit_path: commitPath(place, commit.oid) } : {}),
    tag_path: tagPath(place),
    evidences: evidences.map(({ id, sha, collected_at }) => {
      return { sha, filepath: evidenceUrl(place, id), collected_at }
    }),
    _links: linksAround(place, mayEdit),
  }
}

function assetsOf({ release, project, links, evidences, readsCode }: ReleaseFacts, externalUrl: string) {
  const place = placeOf({ release, project }, externalUrl)
  const shown = links.map((link) => presentLink(link, place, readsCode))
  if (!readsCode) return { count: shown.length, links: shown }
  const sources = sourcesOf(place)
  const [newest] = evidences
  const evidence = newest ? { evidence_file_path: evidenceUrl(place, newest.id) } : {}
  return { count: shown.length + sources.length, sources, links: shown, ...evidence }
}

/** @param presenting its `now` decides whether the release is still to come */
export function presentRelease(facts: ReleaseFacts, presenting: PresentingUsers): PresentedRelease {
  const { author, readsCode } = facts
  return {
    ...presentBasicRelease(facts, presenting.now),
    author: author ? presentUserBasic(author, presenting) : null,
    milestones: [],
    assets: assetsOf(facts, presenting.externalUrl),
    ...(readsCode ? codeOf(facts, presenting.externalUrl) : { _links: {} }),
  }
}

import { computed, forms, from, nested, nullable, object, of, type Static, Type } from '../../../api/index.ts'
import type { Commit } from '../../../infra/git/index.ts'
import { CommitSummary, presentCommit } from '../../commits/index.ts'
import { Milestone, type PresentedMilestone } from '../../milestones/index.ts'
import type { Project } from '../../projects/index.ts'
import { type PresentingUsers, presentUserBasic, UserBasic, type UserRow } from '../../users/index.ts'
import { commitPath, evidenceUrl, type ReleaseLocation, relatedLinks, sourcesOf, tagPath } from '../addresses.ts'
import { ReleaseLink } from '../links/present.ts'
import type { EvidenceRow, LinkRow, ReleaseRow } from '../tables.ts'

/** A release as it is shown to one caller. */
type ShownRelease = {
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

/** `now` decides whether a release is upcoming; `isShort` shows the short form (`simple` of x.group_releases). */
type ReleasesView = PresentingUsers & { isShort: boolean }

const text = Type.String()
const optionalText = Type.Optional(text)
const Source = Type.Object({ format: text, url: text })
const Evidence = Type.Object({ sha: text, filepath: text, collected_at: forms.timestamp })
const RelatedLinks = Type.Object({
  closed_issues_url: optionalText,
  closed_merge_requests_url: optionalText,
  edit_url: optionalText,
  merged_merge_requests_url: optionalText,
  opened_issues_url: optionalText,
  opened_merge_requests_url: optionalText,
  self: optionalText,
})

/** The name for callers who may not read the code does not show the name of the tag. */
function nameOf({ release, readsCode }: ShownRelease): string {
  if (readsCode) return release.name ?? release.tag
  return release.name === null || release.name === release.tag ? `Release-${release.id}` : release.name
}

function locationOf({ project, release }: ShownRelease, { externalUrl }: ReleasesView): ReleaseLocation {
  return { externalUrl, project, tag: release.tag }
}

const releases = of<ShownRelease, ReleasesView>()
const ifReadsCode = ({ readsCode }: ShownRelease) => readsCode

const assets = releases.fields({
  assets: nested({
    count: computed(Type.Integer(), (shown, view) => {
      return shown.links.length + (shown.readsCode ? sourcesOf(locationOf(shown, view)).length : 0)
    }),
    ...releases.ifRow(ifReadsCode, {
      sources: computed(Type.Array(Source), (shown, view) => sourcesOf(locationOf(shown, view))),
    }),
    links: computed(Type.Array(ReleaseLink), (shown, view) => {
      const location = shown.readsCode ? locationOf(shown, view) : null
      return shown.links.map((link) => ReleaseLink.present(link, { location }))
    }),
    ...releases.ifRow(ifReadsCode, {
      evidence_file_path: computed(optionalText, (shown, view) => {
        const [newest] = shown.evidences
        return newest && evidenceUrl(locationOf(shown, view), newest.id)
      }),
    }),
  }),
})

/** A release (contract 22, Release). */
export const Release = object('Release', releases, {
  name: computed(text, nameOf),
  ...releases.ifRow(ifReadsCode, { tag_name: from(text, 'release', 'tag') }),
  description: from(forms.nullableString, 'release', 'description'),
  description_html: from(optionalText, 'descriptionHtml'),
  created_at: from(forms.timestamp, 'release', 'created_at'),
  released_at: from(forms.timestamp, 'release', 'released_at'),
  upcoming_release: computed(Type.Boolean(), ({ release }, { now }) => release.released_at > now),
  ...releases.ifView(({ isShort }) => !isShort, {
    author: computed(nullable(UserBasic), ({ author }, view) => (author ? presentUserBasic(author, view) : null)),
    ...releases.ifRow(ifReadsCode, {
      commit: computed(nullable(CommitSummary), ({ commit, project }, { externalUrl }) => {
        return commit ? presentCommit(commit, `${externalUrl}/${project.full_path}`) : null
      }),
    }),
    milestones: Type.Array(Milestone),
    ...releases.ifRow(ifReadsCode, {
      commit_path: computed(optionalText, (shown, view) => {
        return shown.commit && commitPath(locationOf(shown, view), shown.commit.oid)
      }),
      tag_path: computed(text, (shown, view) => tagPath(locationOf(shown, view))),
    }),
    ...assets,
    ...releases.ifRow(ifReadsCode, {
      evidences: computed(Type.Array(Evidence), (shown, view) =>
        shown.evidences.map(({ id, sha, collected_at }) => {
          return { sha, filepath: evidenceUrl(locationOf(shown, view), id), collected_at }
        }),
      ),
    }),
    _links: computed(RelatedLinks, (shown, view) => {
      return shown.readsCode ? relatedLinks(locationOf(shown, view), shown.mayEdit) : {}
    }),
  }),
})
export type PresentedRelease = Static<typeof Release>

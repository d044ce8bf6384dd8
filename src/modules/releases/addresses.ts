/** The addresses of a release in the web. */
export type ReleasePlace = {
  /** Address of the server, without a slash at its end. */
  externalUrl: string
  project: { full_path: string; path: string }
  tag: string
}

/** Formats in which the source of a release comes. */
const sourceFormats = ['zip', 'tar.gz', 'tar.bz2', 'tar'] as const

const projectUrl = ({ externalUrl, project }: ReleasePlace) => `${externalUrl}/${project.full_path}`

/** A release by its tag; a slash in it would not be part of the name. */
export function releaseUrl(place: ReleasePlace): string {
  return `${projectUrl(place)}/-/releases/${encodeURIComponent(place.tag)}`
}

export function evidenceUrl(place: ReleasePlace, evidenceId: number): string {
  return `${releaseUrl(place)}/evidences/${evidenceId}.json`
}

/** Where a link of a release is found, whatever it leads to. @param filepath begins with a slash */
export function downloadUrl(place: ReleasePlace, filepath: string): string {
  return `${releaseUrl(place)}/downloads${filepath}`
}

const encodePath = (path: string) => path.split('/').map(encodeURIComponent).join('/')

/** Where the source is found in each format. */
export function sourcesOf(place: ReleasePlace) {
  const name = `${place.project.path}-${place.tag.replaceAll('/', '-')}`
  const base = `${projectUrl(place)}/-/archive/${encodePath(place.tag)}/${encodeURIComponent(name)}`
  return sourceFormats.map((format) => ({ format, url: `${base}.${format}` }))
}

/** The path of something of the project, without the host. */
function pathOf({ externalUrl, project }: ReleasePlace, rest: string): string {
  return `${new URL(externalUrl).pathname.replace(/\/$/, '')}/${project.full_path}/-/${rest}`
}

export const commitPath = (place: ReleasePlace, sha: string) => pathOf(place, `commit/${sha}`)
export const tagPath = (place: ReleasePlace) => pathOf(place, `tags/${encodePath(place.tag)}`)

/** What has to do with the release: issues and merge requests that belong to it. @param mayEdit whether to tell where it is changed */
export function linksAround(place: ReleasePlace, mayEdit: boolean) {
  const list = (kind: 'issues' | 'merge_requests', state: string) =>
    `${projectUrl(place)}/-/${kind}?release_tag=${encodeURIComponent(place.tag)}&scope=all&state=${state}`
  return {
    closed_issues_url: list('issues', 'closed'),
    closed_merge_requests_url: list('merge_requests', 'closed'),
    ...(mayEdit ? { edit_url: `${releaseUrl(place)}/edit` } : {}),
    merged_merge_requests_url: list('merge_requests', 'merged'),
    opened_issues_url: list('issues', 'opened'),
    opened_merge_requests_url: list('merge_requests', 'opened'),
    self: releaseUrl(place),
  }
}

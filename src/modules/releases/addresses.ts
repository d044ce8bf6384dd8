/** What the web addresses of a release consist of. */
export type ReleaseLocation = {
  /** The address of the server, without a trailing slash. */
  externalUrl: string
  project: { full_path: string; path: string }
  tag: string
}

/** The formats of source archives. */
const sourceFormats = ['zip', 'tar.gz', 'tar.bz2', 'tar'] as const

const projectUrl = ({ externalUrl, project }: ReleaseLocation) => `${externalUrl}/${project.full_path}`

/** The address of a release. Slashes in the tag are encoded. */
export function releaseUrl(location: ReleaseLocation): string {
  return `${projectUrl(location)}/-/releases/${encodeURIComponent(location.tag)}`
}

export function evidenceUrl(location: ReleaseLocation, evidenceId: number): string {
  return `${releaseUrl(location)}/evidences/${evidenceId}.json`
}

/** The permanent address of a link, which redirects to its URL. @param filepath begins with a slash */
export function downloadUrl(location: ReleaseLocation, filepath: string): string {
  return `${releaseUrl(location)}/downloads${filepath}`
}

const encodePath = (path: string) => path.split('/').map(encodeURIComponent).join('/')

/** The addresses of the source archives. */
export function sourcesOf(location: ReleaseLocation) {
  const name = `${location.project.path}-${location.tag.replaceAll('/', '-')}`
  const base = `${projectUrl(location)}/-/archive/${encodePath(location.tag)}/${encodeURIComponent(name)}`
  return sourceFormats.map((format) => ({ format, url: `${base}.${format}` }))
}

/** A path below the project, without the host. */
function pathOf({ externalUrl, project }: ReleaseLocation, rest: string): string {
  return `${new URL(externalUrl).pathname.replace(/\/$/, '')}/${project.full_path}/-/${rest}`
}

export const commitPath = (location: ReleaseLocation, sha: string) => pathOf(location, `commit/${sha}`)
export const tagPath = (location: ReleaseLocation) => pathOf(location, `tags/${encodePath(location.tag)}`)

/** The addresses in `_links` of a release. @param mayEdit whether to include the address of the edit page */
export function relatedLinks(location: ReleaseLocation, mayEdit: boolean) {
  const list = (kind: 'issues' | 'merge_requests', state: string) =>
    `${projectUrl(location)}/-/${kind}?release_tag=${encodeURIComponent(location.tag)}&scope=all&state=${state}`
  return {
    closed_issues_url: list('issues', 'closed'),
    closed_merge_requests_url: list('merge_requests', 'closed'),
    ...(mayEdit ? { edit_url: `${releaseUrl(location)}/edit` } : {}),
    merged_merge_requests_url: list('merge_requests', 'merged'),
    opened_issues_url: list('issues', 'opened'),
    opened_merge_requests_url: list('merge_requests', 'opened'),
    self: releaseUrl(location),
  }
}

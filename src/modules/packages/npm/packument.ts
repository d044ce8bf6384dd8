import semver from 'semver'
import type { Raw } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { namespaceByPath } from '../../namespaces/index.ts'
import type { ServedPlace } from '../access/places.ts'
import { serveNameDocument } from '../reading/documents.ts'
import { forwardAddress, redirectTo } from '../reading/forwarding.ts'
import { namespaceOf, noPackages, projectsWithName } from '../reading/projects.ts'
import { isNpmName, requireNoTraversal, scopeOf } from './names.ts'
import { lastProject, manifestsOf, type NpmVersion, npmVersions, tagsOfName } from './store.ts'

/** What clients get of a manifest besides the name, the version and where the tarball is. */
const shown = [
  ...['bin', 'directories', 'engines', '_hasShrinkwrap', 'hasInstallScript', 'dependencies', 'devDependencies'],
  ...['bundleDependencies', 'peerDependencies', 'optionalDependencies', 'peerDependenciesMeta', 'os', 'cpu', 'libc'],
]
const versionsAtOnce = 100

/** The projects in which a place finds a name; on the server the scope is the namespace. */
export async function projectsOfNpmName(platform: Platform, place: ServedPlace, name: string): Promise<number[]> {
  requireNoTraversal(name)
  const asked = { type: 'npm', nameKey: name } as const
  if ('project' in place || 'group' in place) return projectsWithName(platform, place, asked)
  const scope = scopeOf(name)
  const namespace = scope === null ? null : await namespaceByPath(platform.database.read, scope)
  return namespace && !namespace.pending_delete ? projectsWithName(platform, place, asked, namespace.id) : []
}

type Written = { name: string; externalUrl: string }

function versionText(
  { name, externalUrl }: Written,
  row: NpmVersion,
  stored: { manifest: string; deprecated: string | null },
) {
  const manifest: Record<string, unknown> = JSON.parse(stored.manifest)
  const { project_id: projectId, version, sha1: shasum } = row
  const tarball = `${externalUrl}/api/v4/projects/${projectId}/packages/npm/${name}/-/${row.file_name}`
  const integrity = `sha512-${Buffer.from(row.sha512, 'hex').toString('base64')}`
  const members = shown.filter((key) => manifest[key] !== undefined).map((key) => [key, manifest[key]])
  return JSON.stringify({
    ...{ name, version },
    ...(stored.deprecated !== null && { deprecated: stored.deprecated }),
    ...Object.fromEntries(members),
    dist: { shasum, integrity, tarball },
  })
}

/** The highest version; releases come before prereleases of it. */
function highest(versions: Iterable<string>): string | undefined {
  let found: semver.SemVer | undefined
  for (const version of versions) {
    const parsed = semver.parse(version)
    if (parsed && (!found || semver.gt(parsed, found))) found = parsed
  }
  return found?.raw
}

/** The dist-tags of a name in some projects; `latest` is the highest version where it is not set. */
async function tagsText(
  { database }: Platform,
  projectIds: readonly number[],
  name: string,
  versions: ReadonlySet<string>,
) {
  const tags = await tagsOfName(database.read, projectIds, name)
  const known = tags.filter(({ version }) => versions.has(version)).map(({ name: tag, version }) => [tag, version])
  const latest = highest(versions)
  return JSON.stringify(Object.fromEntries([...(latest === undefined ? [] : [['latest', latest]]), ...known]))
}

async function* packument(
  platform: Platform,
  name: string,
  rows: readonly NpmVersion[],
  projectIds: readonly number[],
) {
  const { externalUrl } = platform
  yield `{"name":${JSON.stringify(name)},"versions":{`
  let separator = ''
  for (let at = 0; at < rows.length; at += versionsAtOnce) {
    const portion = rows.slice(at, at + versionsAtOnce)
    const ids = portion.map(({ id }) => id)
    const manifests = await manifestsOf(platform.database.read, ids)
    const texts = portion.flatMap((row) => {
      const stored = manifests.get(row.id)
      return stored ? `${JSON.stringify(row.version)}:${versionText({ name, externalUrl }, row, stored)}` : []
    })
    if (texts.length === 0) continue
    yield separator + texts.join(',')
    separator = ','
  }
  yield `},"dist-tags":${await tagsText(platform, projectIds, name, new Set(rows.map(({ version }) => version)))}}`
}

async function* packumentOf(platform: Platform, name: string, projectIds: readonly number[]) {
  // The same version in two projects: the one that was published later.
  const rows = new Map((await npmVersions(platform.database.read, projectIds, name)).map((row) => [row.version, row]))
  yield* packument(platform, name, [...rows.values()], projectIds)
}

/** Where npm is sent for a package that is not here; null: nowhere. */
async function forwarded(platform: Platform, place: ServedPlace, name: string): Promise<Raw | null> {
  const address = isNpmName(name) ? await forwardAddress(platform, 'npm', namespaceOf(place)) : null
  return address === null ? null : redirectTo(`${address}/${name.replace('/', '%2f')}`)
}

/**
 * What npm reads of a name before it installs it (contract 23, x.npm_metadata).
 * @param redirected called when the answer sends the client elsewhere
 * @throws ApiError 400, 401, 403, 404
 */
export async function npmMetadata(
  platform: Platform,
  place: ServedPlace,
  name: string,
  redirected: () => void,
): Promise<Raw> {
  const projectIds = await projectsOfNpmName(platform, place, name)
  if ((await lastProject(platform.database.read, projectIds, name)) === null) {
    const answer = await forwarded(platform, place, name)
    if (!answer) throw noPackages()
    redirected()
    return answer
  }
  return serveNameDocument(platform, {
    ...{ type: 'npm', nameKey: name, projectIds, form: 'packument', mediaType: 'application/json' },
    write: () => packumentOf(platform, name, projectIds),
  })
}

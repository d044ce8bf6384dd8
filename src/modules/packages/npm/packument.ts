import semver from 'semver'
import type { Raw } from '../../../api/index.ts'
import { portionsOf } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { namespaceByPath } from '../../namespaces/index.ts'
import type { ServedPlace } from '../access/places.ts'
import { serveNameDocument } from '../reading/documents.ts'
import { forwardAddress, redirectTo } from '../reading/forwarding.ts'
import { inPieces, portionsBehind, rowsAtOnce, separated } from '../reading/portions.ts'
import { namespaceOf, noPackages, projectsWithName } from '../reading/projects.ts'
import { lastOfName } from '../reading/store.ts'
import { isNpmName, requireNoTraversal, scopeOf } from './names.ts'
import {
  lastPublished,
  manifestsOf,
  type NamedTag,
  type NpmVersion,
  npmVersions,
  type StoredManifest,
  tagsOfName,
} from './store.ts'

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

function versionText({ externalUrl }: Platform, name: string, row: NpmVersion, stored: StoredManifest) {
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

type Asked = { platform: Platform; name: string; projectIds: readonly number[] }

/** What is known of the versions that were written, when the dist-tags follow. */
type Written = {
  /** By Semantic Versioning; releases come before prereleases of them. */
  highest?: semver.SemVer
  /** The highest id of a package: those that were published meanwhile are not written. */
  lastId: number
}

function note(written: Written, { id, version }: NpmVersion): void {
  written.lastId = Math.max(written.lastId, id)
  const parsed = semver.parse(version)
  if (parsed && (!written.highest || semver.gt(parsed, written.highest))) written.highest = parsed
}

/** The members of `versions` for some rows, each of which is written when it is asked for. */
function* textsOf(
  platform: Platform,
  name: string,
  rows: readonly NpmVersion[],
  manifests: ReadonlyMap<number, StoredManifest>,
  written: Written,
): Generator<string> {
  for (const row of rows) {
    const stored = manifests.get(row.id)
    if (!stored) continue
    note(written, row)
    yield `${JSON.stringify(row.version)}:${versionText(platform, name, row, stored)}`
  }
}

/** The members of `versions`, project by project. */
async function* versionTexts({ platform, name, projectIds }: Asked, written: Written): AsyncGenerator<string[]> {
  const { read } = platform.database
  for (const projectId of projectIds) {
    const behind = (last: NpmVersion | undefined) =>
      npmVersions(read, { projectId, name }, { after: last?.id ?? 0, limit: rowsAtOnce })
    for await (const rows of portionsBehind(behind)) {
      const shownRows = await lastPublished(read, projectIds, name, rows)
      for (const portion of portionsOf(shownRows, versionsAtOnce)) {
        const ids = portion.map(({ id }) => id)
        const manifests = await manifestsOf(read, ids)
        yield* inPieces(textsOf(platform, name, portion, manifests, written))
      }
    }
  }
}

/** The dist-tags of a name in some projects; of one name the tag that was set last. */
export async function* distTags(
  { database: { read } }: Platform,
  { name, projectIds }: { name: string; projectIds: readonly number[] },
): AsyncGenerator<NamedTag[]> {
  let last: NamedTag | undefined
  for await (const rows of portionsBehind<NamedTag>((after) =>
    tagsOfName(read, { projectIds, name }, { after, limit: rowsAtOnce }),
  )) {
    const behind = last ? [last, ...rows] : rows
    last = behind.at(-1)
    yield behind.filter((tag, index) => index + 1 < behind.length && behind[index + 1]?.name !== tag.name)
  }
  if (last) yield [last]
}

/** The members of `dist-tags`; `latest` is the highest version where it is not set. */
async function* tagTexts({ platform, name, projectIds }: Asked, written: Written): AsyncGenerator<string[]> {
  const textOf = (tag: string, version: string) => `${JSON.stringify(tag)}:${JSON.stringify(version)}`
  let hasLatest = false
  for await (const tags of distTags(platform, { name, projectIds })) {
    const known = tags.filter(({ package_id: id }) => id <= written.lastId)
    hasLatest ||= known.some(({ name: tag }) => tag === 'latest')
    yield known.map(({ name: tag, version }) => textOf(tag, version))
  }
  if (!hasLatest && written.highest) yield [textOf('latest', written.highest.raw)]
}

async function* packument(asked: Asked): AsyncGenerator<string> {
  const written: Written = { lastId: 0 }
  yield `{"name":${JSON.stringify(asked.name)},"versions":{`
  yield* separated(versionTexts(asked, written))
  yield '},"dist-tags":{'
  yield* separated(tagTexts(asked, written))
  yield '}}'
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
  if (!(await lastOfName(platform.database.read, projectIds, { type: 'npm', nameKey: name }))) {
    const answer = await forwarded(platform, place, name)
    if (!answer) throw noPackages()
    redirected()
    return answer
  }
  return serveNameDocument(platform, {
    ...{ type: 'npm', nameKey: name, projectIds, form: 'packument', mediaType: 'application/json' },
    write: () => packument({ platform, name, projectIds }),
  })
}

import { header, notFound, type Raw, type RequestInfo } from '../../../api/index.ts'
import { escapeHtml } from '../../../infra/markdown/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { ServedGroup } from '../access/places.ts'
import { readableProjects } from '../access/readable.ts'
import type { ServedProject } from '../access/subjects.ts'
import { serveNameDocument } from '../reading/documents.ts'
import { forwardAddress, redirectTo } from '../reading/forwarding.ts'
import { portionsBehind, rowsAtOnce, separated, streamOfPieces } from '../reading/portions.ts'
import { namespaceOf, projectsWithName } from '../reading/projects.ts'
import { lastOfName } from '../reading/store.ts'
import { isPypiName, normalised } from './names.ts'
import {
  type Distribution,
  distributionsOf,
  type NewestVersion,
  namesOf,
  newestVersionsOf,
  type ProjectName,
  projectsWithPypi,
} from './store.ts'

/** Where a client of Python asks for packages. */
export type PypiPlace = ServedProject | ServedGroup

const jsonType = 'application/vnd.pypi.simple.v1+json'
const mediaTypeOf = (isJson: boolean) => (isJson ? jsonType : 'text/html; charset=utf-8')
const headers = { Vary: 'Accept' }
const meta = { 'api-version': '1.0' }

const wantsJson = (request: RequestInfo) =>
  /application\/vnd\.pypi\.simple\.(v1|latest)\+json/.test(header(request, 'accept') ?? '')

/** Where the routes of a place begin. */
function addressOf({ externalUrl }: Platform, place: PypiPlace): string {
  const at = 'project' in place ? `projects/${place.project.id}` : `groups/${place.group.id}/-`
  return `${externalUrl}/api/v4/${at}/packages/pypi`
}

const requirement = (text: string | null) => (text === null ? '' : ` data-requires-python="${escapeHtml(text)}"`)

const link = (address: string, text: string, requires: string | null) =>
  `<a href="${escapeHtml(address)}"${requirement(requires)}>${escapeHtml(text)}</a><br>\n`

/** A page of links, in portions. */
async function* page<Row>(
  title: string,
  portions: AsyncIterable<readonly Row[]>,
  write: (row: Row) => string,
): AsyncGenerator<string> {
  const heading = escapeHtml(`Links for ${title}`)
  yield `<!DOCTYPE html>\n<html>\n<head>\n<title>${heading}</title>\n</head>\n<body>\n<h1>${heading}</h1>\n`
  for await (const rows of portions) yield rows.map(write).join('')
  yield '</body>\n</html>\n'
}

/** An array of JSON within an object, in portions. */
async function* json<Row>(
  before: string,
  portions: AsyncIterable<readonly Row[]>,
  write: (row: Row) => object,
): AsyncGenerator<string> {
  async function* texts() {
    for await (const rows of portions) yield rows.map((row) => JSON.stringify(write(row)))
  }
  yield `${before}[`
  yield* separated(texts())
  yield ']}'
}

/** Names with their newest versions, each name once. */
async function* indexedNames(
  { database: { read } }: Platform,
  ids: readonly number[],
): AsyncGenerator<(NewestVersion & { name_key: string })[]> {
  /** The last name of a portion may go on in the next one, in other projects. */
  let last: (NewestVersion & { name_key: string }) | undefined
  for await (const names of portionsBehind<ProjectName>((after) => namesOf(read, ids, { after, limit: rowsAtOnce }))) {
    const versions = await newestVersionsOf(
      read,
      names.map(({ id }) => id),
    )
    const byName = new Map(versions.map((version) => [version.name_id, version]))
    const complete: NonNullable<typeof last>[] = []
    for (const { id, name_key } of names) {
      const version = byName.get(id)
      if (!version) continue
      const isSame = last?.name_key === name_key
      if (last && !isSame) complete.push(last)
      if (!last || !isSame || version.id > last.id) last = { ...version, name_key }
    }
    yield complete
  }
  if (last) yield [last]
}

/** All names of a place (contract 23, x.pypi_index). @throws ApiError 401, 403 */
export async function pypiIndex(platform: Platform, place: PypiPlace, request: RequestInfo): Promise<Raw> {
  const isProject = 'project' in place
  const ids = isProject ? [place.project.id] : await readableOfGroup(platform, place)
  const isJson = wantsJson(request)
  const { name: title } = isProject ? place.project : place.group
  const address = addressOf(platform, place)
  const names = () => indexedNames(platform, ids)
  const write = () =>
    isJson
      ? json(`{"meta":${JSON.stringify(meta)},"projects":`, names(), ({ name }) => ({ name }))
      : page(title, names(), (row) => link(`${address}/simple/${row.name_key}`, row.name, row.requires_python))
  return { headers: { ...headers, 'Content-Type': mediaTypeOf(isJson) }, body: async () => streamOfPieces(write()) }
}

/** The projects below a group that have packages of Python which the caller may read. */
async function readableOfGroup(platform: Platform, { group, caller }: ServedGroup): Promise<number[]> {
  const { read } = platform.database
  const found: number[] = []
  const behind = (last: { id: number } | undefined) =>
    projectsWithPypi(read, group.id, { after: last?.id ?? 0, limit: rowsAtOnce })
  for await (const rows of portionsBehind(behind)) {
    const ids = rows.map(({ id }) => id)
    for (const { id } of await readableProjects(platform, caller, { namespaceId: group.id, ids })) found.push(id)
  }
  return found
}

const fileAddress = (address: string, { sha256, file_name: name }: Distribution) =>
  `${address}/files/${sha256}/${encodeURIComponent(name)}#sha256=${sha256}`

type Asked = { platform: Platform; address: string; projectIds: readonly number[]; nameKey: string; title: string }

/** The files of a name, project by project. */
async function* distributions({ platform: { database }, projectIds, nameKey }: Asked): AsyncGenerator<Distribution[]> {
  for (const projectId of projectIds) {
    yield* portionsBehind<Distribution>((after) =>
      distributionsOf(database.read, { projectId, nameKey }, { after, limit: rowsAtOnce }),
    )
  }
}

function filesDocument(asked: Asked, isJson: boolean): AsyncGenerator<string> {
  const { address, nameKey, title } = asked
  const files = distributions(asked)
  if (!isJson) return page(title, files, (row) => link(fileAddress(address, row), row.file_name, row.requires_python))
  const before = `{"meta":${JSON.stringify(meta)},"name":${JSON.stringify(nameKey)},"files":`
  return json(before, files, (row) => ({
    filename: row.file_name,
    url: fileAddress(address, row),
    hashes: { sha256: row.sha256 },
    ...(row.requires_python !== null && { 'requires-python': row.requires_python }),
  }))
}

/**
 * The files of a name (contract 23, x.pypi_simple).
 * @param redirected called when the answer sends the client elsewhere
 * @throws ApiError 401, 403, 404
 */
export async function pypiSimple(
  platform: Platform,
  place: PypiPlace,
  { name, request }: { name: string; request: RequestInfo },
  redirected: () => void,
): Promise<Raw> {
  const nameKey = normalised(name)
  const projectIds = await projectsWithName(platform, place, { type: 'pypi', nameKey })
  const last = await lastOfName(platform.database.read, projectIds, { type: 'pypi', nameKey })
  if (!last) {
    const address = isPypiName(name) ? await forwardAddress(platform, 'pypi', namespaceOf(place)) : null
    if (address === null) throw notFound('Package')
    redirected()
    return redirectTo(`${address}/simple/${nameKey}/`)
  }
  const isJson = wantsJson(request)
  const address = addressOf(platform, place)
  return serveNameDocument(platform, {
    ...{ type: 'pypi', nameKey, projectIds, headers },
    form: `${isJson ? 'json' : 'html'} ${address}`,
    mediaType: mediaTypeOf(isJson),
    write: () => filesDocument({ platform, address, projectIds, nameKey, title: last.name }, isJson),
  })
}

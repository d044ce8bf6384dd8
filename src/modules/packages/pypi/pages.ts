import { header, notFound, type Raw, type RequestInfo } from '../../../api/index.ts'
import { escapeHtml } from '../../../infra/markdown/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { ServedGroup } from '../access/places.ts'
import { readableProjects } from '../access/readable.ts'
import type { ServedProject } from '../access/subjects.ts'
import { hasName } from '../core/store.ts'
import { serveNameDocument } from '../reading/documents.ts'
import { forwardAddress, redirectTo } from '../reading/forwarding.ts'
import { namespaceOf, projectsWithName } from '../reading/projects.ts'
import { isPypiName, normalised } from './names.ts'
import { type Distribution, distributionsOf, type IndexedName, namesOf, projectsWithPypi } from './store.ts'

/** Where a client of Python asks for packages. */
export type PypiPlace = ServedProject | ServedGroup

const jsonType = 'application/vnd.pypi.simple.v1+json'
const linesAtOnce = 500
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
async function* page<Row>(title: string, rows: readonly Row[], write: (row: Row) => string): AsyncGenerator<string> {
  const heading = escapeHtml(`Links for ${title}`)
  yield `<!DOCTYPE html>\n<html>\n<head>\n<title>${heading}</title>\n</head>\n<body>\n<h1>${heading}</h1>\n`
  for (let at = 0; at < rows.length; at += linesAtOnce)
    yield rows
      .slice(at, at + linesAtOnce)
      .map(write)
      .join('')
  yield '</body>\n</html>\n'
}

function nameDocument(
  address: string,
  rows: readonly IndexedName[],
  { title, json }: { title: string; json: boolean },
) {
  if (json) return JSON.stringify({ meta, projects: rows.map(({ name }) => ({ name })) })
  return page(title, rows, (row) => link(`${address}/simple/${row.name_key}`, row.name, row.requires_python))
}

/** All names of a place (contract 23, x.pypi_index). @throws ApiError 401, 403 */
export async function pypiIndex(platform: Platform, place: PypiPlace, request: RequestInfo): Promise<Raw> {
  const { read } = platform.database
  const isProject = 'project' in place
  const ids = isProject ? [place.project.id] : await readableOfGroup(platform, place)
  const json = wantsJson(request)
  const { name: title } = isProject ? place.project : place.group
  const document = nameDocument(addressOf(platform, place), await namesOf(read, ids), { title, json })
  const body = typeof document === 'string' ? document : (await Array.fromAsync(document)).join('')
  return { headers: { ...headers, 'Content-Type': json ? jsonType : 'text/html; charset=utf-8' }, body }
}

async function readableOfGroup(platform: Platform, { group, caller }: ServedGroup): Promise<number[]> {
  const ids = await projectsWithPypi(platform.database.read, group.id)
  return (await readableProjects(platform, caller, { namespaceId: group.id, ids })).map(({ id }) => id)
}

const fileAddress = (address: string, { sha256, file_name: name }: Distribution) =>
  `${address}/files/${sha256}/${encodeURIComponent(name)}#sha256=${sha256}`

async function* filesJson(address: string, name: string, rows: readonly Distribution[]): AsyncGenerator<string> {
  yield `{"meta":${JSON.stringify(meta)},"name":${JSON.stringify(name)},"files":[`
  for (let at = 0; at < rows.length; at += linesAtOnce) {
    const texts = rows.slice(at, at + linesAtOnce).map((row) =>
      JSON.stringify({
        filename: row.file_name,
        url: fileAddress(address, row),
        hashes: { sha256: row.sha256 },
        ...(row.requires_python !== null && { 'requires-python': row.requires_python }),
      }),
    )
    yield (at === 0 ? '' : ',') + texts.join(',')
  }
  yield ']}'
}

type Asked = { platform: Platform; address: string; projectIds: readonly number[]; nameKey: string }

async function* filesDocument({ platform, address, projectIds, nameKey }: Asked, json: boolean) {
  const rows = await distributionsOf(platform.database.read, projectIds, nameKey)
  if (json) yield* filesJson(address, nameKey, rows)
  else {
    const title = rows.at(-1)?.name ?? nameKey
    yield* page(title, rows, (row) => link(fileAddress(address, row), row.file_name, row.requires_python))
  }
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
  if (!(await hasName(platform.database.read, projectIds, { type: 'pypi', nameKey }))) {
    const address = isPypiName(name) ? await forwardAddress(platform, 'pypi', namespaceOf(place)) : null
    if (address === null) throw notFound('Package')
    redirected()
    return redirectTo(`${address}/simple/${nameKey}/`)
  }
  const json = wantsJson(request)
  const address = addressOf(platform, place)
  return serveNameDocument(platform, {
    ...{ type: 'pypi', nameKey, projectIds, headers },
    form: `${json ? 'json' : 'html'} ${address}`,
    mediaType: json ? jsonType : 'text/html; charset=utf-8',
    write: () => filesDocument({ platform, address, projectIds, nameKey }, json),
  })
}

import { notFound, type Operation, type Raw } from '../../api/index.ts'
import { isObject, type Json, type Schema, schemaOf } from '../forms/schema.ts'
import { addressOfPage } from '../frame/addresses.ts'
import type { Visit } from '../page.ts'
import type { KnownAny, KnownFamily } from './declared.ts'

/** Parameters of an operation that are known without a form. */
export type Call = Record<string, string | number>

/** Where the pages of a family begin. */
export function rootOf(visit: Visit, { at, path }: KnownAny): string {
  const known = path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(visit.params[name] ?? ''))
  return addressOfPage(visit, at, known)
}

/** Parameters of the place: the project or group, those of the address, and what the family gives. */
export function placeCall(visit: Visit, { at, given }: KnownAny): Call {
  const { one: _, ...params } = visit.params
  const id = { project: visit.project?.id, group: visit.group?.id, instance: undefined }[at]
  return { ...(id !== undefined && { id }), ...params, ...given?.(visit) }
}

/** Parameters of the operations on one object. */
export function oneCall(visit: Visit, family: KnownFamily, one: Json, parameter = family.key[1]): Call {
  const { narrowedBy } = family
  return {
    ...placeCall(visit, family),
    [parameter]: String(one[family.key[0]]),
    ...(narrowedBy && { [`filter[${narrowedBy}]`]: String(one[narrowedBy]) }),
  }
}

/** The parameters of a call as an operation reads them: `filter[a]` is the member of an object. */
export function nestedCall(call: Call): Record<string, unknown> {
  const nested: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(call)) {
    const [, outer, inner] = /^(\w+)\[(\w+)\]$/.exec(name) ?? []
    if (outer && inner) nested[outer] = { [inner]: value }
    else nested[name] = value
  }
  return nested
}

/** Whether one makes progress. */
export function isBusy({ busy }: KnownFamily, one: Json): boolean {
  if (!busy) return false
  const [member, ...values] = busy
  return values.some((value) => value === one[member])
}

/** The address of one. */
export function addressOfOne(visit: Visit, family: KnownFamily, one: Json): string {
  const name = encodeURIComponent(String(one[family.numbered ? 'iid' : family.key[0]]))
  const { narrowedBy } = family
  const narrowed = narrowedBy ? `?${narrowedBy}=${encodeURIComponent(String(one[narrowedBy]))}` : ''
  // The page for a new one has this name. Written so it is the same name, and not that page.
  return `${rootOf(visit, family)}/${name === 'new' ? '%6Eew' : name}${narrowed}`
}

/** The same with another step behind it. */
export function below(address: string, step: string): string {
  const [path, query] = address.split('?', 2)
  return `${path}/${step}${query ? `?${query}` : ''}`
}

/** A page of a list: its rows, and what follows. */
export type Rows = { items: readonly Json[]; total?: number; hasNext?: boolean }

/** One with the members of the member that is shown as it. */
function spreadOut({ spread }: KnownFamily, one: Json): Json {
  const inner = spread === undefined ? undefined : one[spread]
  return isObject(inner) ? { ...inner, ...one } : one
}

/** Reads the rows of a list. @param call besides the parameters of the place */
export async function readRows(visit: Visit, family: KnownFamily, call: Record<string, unknown>): Promise<Rows> {
  const { list, listed } = family
  const found: unknown = await visit.read(list, { ...placeCall(visit, family), ...call })
  if (Array.isArray(found)) return { items: found.filter(isObject), hasNext: false }
  if (!isObject(found)) return { items: [] }
  const { items, total, hasNext } = found
  const rows = listed ? found[listed] : items
  return {
    items: Array.isArray(rows) ? rows.filter(isObject).map((row) => spreadOut(family, row)) : [],
    ...(typeof total === 'number' && { total }),
    ...(typeof hasNext === 'boolean' && { hasNext }),
  }
}

const mostRows = 100

/** Finds the one that the address names among those that the list has. @throws ApiError 404 */
async function findRow(visit: Visit, family: KnownFamily): Promise<Json> {
  const { key, numbered } = family
  const wanted = visit.params.one ?? ''
  const asked = numbered ? { [numbered]: [wanted] } : {}
  for (let page = 1; ; page++) {
    const { items } = await readRows(visit, family, { ...asked, page, per_page: mostRows })
    const found = items.find((row) => String(row[numbered ? 'iid' : key[0]]) === wanted)
    if (found) return found
    if (items.length < mostRows || family.listed) throw notFound('Page')
  }
}

/** Reads the one that the address names. @throws ApiError 404 */
export async function readOne(visit: Visit, family: KnownFamily): Promise<Json> {
  const { get, key, narrowedBy, numbered } = family
  if (!get || numbered || 'raw' in get.result[1]) {
    const row = await findRow(visit, family)
    if (!get || 'raw' in get.result[1]) return row
    return objectOf(await visit.read(get, nestedCall(oneCall(visit, family, row))))
  }
  const scope = narrowedBy ? { [narrowedBy]: visit.query[narrowedBy] ?? '*' } : {}
  const named = { [key[0]]: visit.params.one, ...scope }
  return spreadOut(family, objectOf(await visit.read(get, nestedCall(oneCall(visit, family, named)))))
}

const objectOf = (value: unknown): Json => (isObject(value) ? value : {})

const isRaw = (value: unknown): value is Raw => isObject(value) && 'body' in value

/** Reads an object that is a file. @throws ApiError 404 */
export async function readFile(visit: Visit, get: Operation, call: Call): Promise<Raw> {
  const file: unknown = await visit.read(get, nestedCall(call))
  if (!isRaw(file)) throw notFound('File')
  return file
}

/** What an operation of a family answers: of a list, one of its rows. */
export function rowSchema(
  operation: Operation,
  { listed, spread }: { listed?: string | undefined; spread?: string | undefined },
): Schema {
  const schema = answerSchema(operation, listed)
  const inner = spread === undefined ? undefined : schema.members[spread]
  return inner ? { ...schema, members: { ...inner.members, ...schema.members } } : schema
}

/** What an operation answers: of a list, one of its rows. */
export function answerSchema(operation: Operation | null, listed?: string): Schema {
  const result = operation?.result[1]
  if (isObject(result) && 'pageOf' in result) return schemaOf(result.pageOf)
  const schema = schemaOf(result)
  const rows = listed ? schema.members[listed] : schema
  return rows?.kind === 'list' && rows.item ? rows.item : schema
}

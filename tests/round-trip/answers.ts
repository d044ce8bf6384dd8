/** What the operations that read answer about a project or group, and how the answers about two of them differ. */
import { isDeepStrictEqual } from 'node:util'
import type { Operation, ParamSet } from '../../src/api/index.ts'
import type { Client } from '../../src/testing/index.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of every operation are read
type Value = any

/** The project or group whose answers are read. */
export type Place = { kind: 'project' | 'group'; id: number; fullPath: string; name: string }

/** Answers by the operation and the numbers of the objects in their lists: `issue_notes.list 0 2`. */
export type Answers = Map<string, { status: number; value: Value }>

const rootOf = (kind: Place['kind']) => `/${kind}s/:id`

/** Names of parameters, of which a request needs a value. */
const needed = ({ params = {}, path }: Operation) =>
  Object.entries(params as ParamSet).flatMap(([name, param]) =>
    param.required && !path.split(/[/.]/).includes(`:${name}`) ? [name] : [],
  )

/** The operations that read something of a project or group. @param queries values for those that need some, by operation */
export const readingOperations = (
  operations: readonly Operation[],
  kind: Place['kind'],
  queries: Readonly<Record<string, string>>,
): Operation[] =>
  operations.filter(
    ({ method, path, root, isAbsent, ...operation }) =>
      method === 'GET' &&
      !root &&
      !isAbsent &&
      `${path}/`.startsWith(`${rootOf(kind)}/`) &&
      (operation.id in queries || needed({ method, path, ...operation } as Operation).length === 0),
  )

async function everything(client: Client, path: string, query: string): Promise<{ status: number; value: Value }> {
  const items: Value[] = []
  for (let page = 1; ; page += 1) {
    const { status, headers, body } = await client.get(`${path}?${query}&per_page=100&page=${page}`)
    if (status !== 200 || !Array.isArray(body)) return { status, value: body }
    items.push(...body)
    if (!headers.get('x-next-page')) return { status, value: items }
  }
}

/** The value of a parameter of a path that names an item of the list before it; undefined for none. */
function identifierIn(item: Value, parameter: string): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined
  const names = [parameter, parameter.split('_').at(-1) ?? '', 'id', 'name']
  const found = names.map((name) => item[name]).find((value) => ['string', 'number'].includes(typeof value))
  return found === undefined ? undefined : String(found)
}

/** The objects that the parameters of an operation name, and their numbers in their lists. */
type Named = { items: readonly Value[]; numbers: string }

const parameters = /[:*](\w+)/g

/** A path of operations without the names of its parameters: a list calls one `:epic_id` that those below it call `:epic_iid`. */
const shapeOf = (path: string) => path.replaceAll(parameters, ':')

/** A path below a project or group with the values of its parameters; null when an object does not have one. */
function filled(path: string, items: readonly Value[]): string | null {
  let before = -1
  const address = path.replaceAll(parameters, (whole, name: string) => {
    before += 1
    return before === 0 ? whole : encodeURIComponent(identifierIn(items[before - 1], name) ?? '?')
  })
  return address.includes('%3F') ? null : address
}

/** Reads all that operations answer about a project or group. */
export async function answersOf(
  client: Client,
  operations: readonly Operation[],
  { kind, id }: Pick<Place, 'kind' | 'id'>,
  queries: Readonly<Record<string, string>>,
): Promise<Answers> {
  const read = new Map<string, Promise<{ status: number; value: Value }>>()
  const ask = (path: string, query = '') => {
    const key = `${path}?${query}`
    const before = read.get(key)
    if (before) return before
    const asked = everything(client, path, query)
    read.set(key, asked)
    return asked
  }
  const at = (path: string) => path.replace(rootOf(kind), `/${kind}s/${id}`)
  /** Lists by their shapes: what a list shows is also what the addresses below it name. */
  const lists = new Map(operations.map((operation) => [shapeOf(operation.path), operation]))
  async function namedBy(path: string): Promise<Named[]> {
    const match = /^(\/[a-z]+\/:id\/.*)\/[:*]\w+(?:\/[^:*]*)?$/.exec(path)
    const list = match && lists.get(shapeOf(match[1] ?? ''))
    if (!match) return [{ items: [], numbers: '' }]
    const found: Named[] = []
    for (const named of list ? await namedBy(list.path) : []) {
      const address = list && filled(list.path, named.items)
      const { status, value } = address ? await ask(at(address), queries[list.id]) : { status: 404, value: null }
      if (status !== 200 || !Array.isArray(value)) continue
      for (const [index, item] of value.entries()) {
        found.push({ items: [...named.items, item], numbers: `${named.numbers} ${index}` })
      }
    }
    return found
  }
  const answers: Answers = new Map()
  for (const operation of operations) {
    for (const { items, numbers } of await namedBy(operation.path)) {
      const address = filled(operation.path, items)
      if (address) answers.set(`${operation.id}${numbers}`, await ask(at(address), queries[operation.id]))
    }
  }
  return answers
}

/** Members whose values are new for each object. */
const isId = (key: string) => /(?:^|_)ids?$/.test(key)

/** Addresses that have ids in them. */
const numbered = /\/(groups|pipelines|snippets|jobs|uploads|iterations)\/\d+/g

/** The name of a place stands in archives and messages: that of the other one as well, since commits stay as they are. */
function withoutPlaces(text: string, places: readonly Place[], url: string): string {
  let plain = text.replaceAll(url, '').replaceAll(new URL(url).host, '<host>')
  for (const { fullPath, name, kind, id } of places) {
    for (const path of [fullPath, encodeURIComponent(fullPath)]) plain = plain.replaceAll(path, '<path>')
    plain = plain.replaceAll(new RegExp(`/${kind}s/${id}(?=/|$)`, 'g'), `/${kind}s/<id>`)
    plain = plain.replaceAll(new RegExp(`(?<![\\w-])${name}(?![\\w/.])`, 'g'), '<name>')
  }
  return plain.replaceAll(numbered, '/$1/<id>')
}

/** A value without what names the server and the places, and without ids, of which only the presence counts. */
function plain(value: Value, places: readonly Place[], url: string, key = ''): Value {
  if (Array.isArray(value)) return value.map((item) => plain(item, places, url, key))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([member, one]) => [member, plain(one, places, url, member)]))
  }
  if (typeof value === 'number') return isId(key) ? 'an id' : value
  return typeof value === 'string' ? withoutPlaces(value, places, url) : value
}

/** A difference of two answers: where, and both values. */
export type Difference = { at: string; was: Value; is: Value }

function* differencesOf(was: Value, is: Value, at: string): Generator<Difference> {
  if (isDeepStrictEqual(was, is)) return
  const areLists = Array.isArray(was) && Array.isArray(is)
  const areObjects = [was, is].every((one) => typeof one === 'object' && one !== null && !Array.isArray(one))
  if (areLists && was.length === is.length) {
    for (const [index, item] of was.entries()) yield* differencesOf(item, is[index], at)
  } else if (areObjects) {
    for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
      yield* differencesOf(was[key], is[key], `${at} ${key}`)
    }
  } else yield { at, was, is }
}

/** How the answers about two places differ; operations by their ids, members by their names. */
export function differences(
  [was, wasPlace, wasUrl]: readonly [Answers, Place, string],
  [is, isPlace, isUrl]: readonly [Answers, Place, string],
): Difference[] {
  const places = [wasPlace, isPlace]
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((key) => [
    ...differencesOf(
      plain(was.get(key), places, wasUrl),
      plain(is.get(key), places, isUrl),
      key.split(' ', 1)[0] ?? '',
    ),
  ])
}

import type { Operation } from '../../src/api/index.ts'
import type { TestServer } from '../../src/testing/index.ts'

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** An address of an answer, and the object that has it. */
export type Found = { address: string; object: Json; path: string }

/** Objects of one list whose own pages and lists are read. */
const followed = 3

/** The value of an object for a parameter of a path. */
function valueFor(parameter: string, object: Json): string | undefined {
  const last = parameter.split('_').at(-1) ?? ''
  const candidates = parameter === 'id' ? ['id'] : [parameter, last, 'iid', 'id', 'name', 'slug', 'path', 'key']
  const name = candidates.find((one) => ['string', 'number'].includes(typeof object[one]))
  return name === undefined ? undefined : String(object[name])
}

function objectsOf(body: unknown): Json[] {
  if (Array.isArray(body)) return body.filter(isObject)
  return isObject(body) ? [body] : []
}

function addressesIn(value: unknown, path: string): Found[] {
  if (Array.isArray(value)) return value.flatMap((one) => addressesIn(one, path))
  if (!isObject(value)) return []
  const own = typeof value.web_url === 'string' ? [{ address: value.web_url, object: value, path }] : []
  return [...own, ...Object.values(value).flatMap((one) => addressesIn(one, path))]
}

/**
 * Performs all operations that read, as an administrator, and collects the addresses of their answers. The parameters of a path
 * are those of the objects that the list above it has.
 */
export async function collectAddresses(server: TestServer, operations: readonly Operation[]): Promise<Found[]> {
  const reads = operations.filter(
    ({ method, root, result }) => method === 'GET' && !root && !('raw' in (result[1] as object)),
  )
  const paths = new Set(reads.map(({ path }) => path))
  const answers = new Map<string, Promise<unknown>>()
  const answerOf = (path: string) => {
    const known =
      answers.get(path) ??
      server.root.get(`${path}?per_page=20`).then(({ status, body }) => (status === 200 ? body : null))
    answers.set(path, known)
    return known
  }
  /** The addresses that a path stands for. */
  async function filled(pattern: string): Promise<string[]> {
    const at = pattern.lastIndexOf('/:')
    if (at < 0) return [pattern]
    const [parameter = '', ...rest] = pattern.slice(at + 2).split('/')
    const above = pattern.slice(0, at)
    const list = paths.has(above) ? above : null
    if (list === null) return []
    const places = await filled(list)
    const bodies = await Promise.all(places.map(answerOf))
    return places.flatMap((place, index) => {
      const values = objectsOf(bodies[index])
        .slice(0, followed)
        .flatMap((one) => valueFor(parameter, one) ?? [])
      return values.map((value) => [place, encodeURIComponent(value), ...rest].join('/'))
    })
  }
  const found: Found[] = []
  for (const { path } of reads) {
    for (const address of await filled(path)) found.push(...addressesIn(await answerOf(address), path))
  }
  const isOwn = ({ address }: Found) => address.startsWith(`${server.app.platform.externalUrl}/`)
  return [...new Map(found.filter(isOwn).map((one) => [one.address, one])).values()]
}

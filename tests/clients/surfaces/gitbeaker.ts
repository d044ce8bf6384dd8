/** What gitbeaker can send: each method of each resource is called, with a requester that notes the request instead of sending it. */

type Resource = Record<string, (...parameters: unknown[]) => unknown>
type ResourceClass = new (options: object) => Resource

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const
const filled = 'FILLED'
const api = '/api/v4'

/** More than any method has. */
const parameterCount = 16

/** Members that methods use of a text or of a list. */
const parts: Record<PropertyKey, unknown> = {
  toString: () => filled,
  [Symbol.toPrimitive]: () => filled,
  map: (make: (value: string) => unknown) => [make(filled)],
  forEach: (visit: (value: string) => void) => visit(filled),
}

/** A parameter: a text where one is needed, else an object with some members. `asked` gets the names of other members that are read. */
function parameter(names: readonly string[], asked: Set<string>): object {
  const members: Record<PropertyKey, unknown> = Object.fromEntries(names.map((name) => [name, filled]))
  return new Proxy(members, {
    get(target, name) {
      if (Object.hasOwn(target, name)) return target[name]
      if (Object.hasOwn(parts, name)) return parts[name]
      if (typeof name === 'string') asked.add(name)
      return undefined
    },
  })
}

/** The ways to fill the members that a method reads: none, one, two of them, all. */
function waysToFill(names: readonly string[]): string[][] {
  const pairs = names.flatMap((one, index) => names.slice(index + 1).map((other) => [one, other]))
  return [[], ...names.map((name) => [name]), ...pairs, [...names]]
}

/** Calls a method with texts, and in all ways to fill what it reads, until it reads nothing new. */
async function callInAllWays(resource: Resource, name: string): Promise<void> {
  const asked = new Set<string>()
  const tried = new Set<string>()
  // A method refuses some ways to fill its options, and cannot read the answers.
  const call = (make: () => unknown) =>
    (async () => resource[name]?.(...Array.from({ length: parameterCount }, make)))().catch(() => undefined)
  await call(() => filled)
  for (let known = -1; known < asked.size; ) {
    known = asked.size
    for (const names of waysToFill([...asked].sort())) {
      if (tried.has(names.join())) continue
      tried.add(names.join())
      await call(() => parameter(names, asked))
    }
  }
}

/** The methods of a resource, those that it inherits too. */
function namesOf(resource: object): string[] {
  const names = new Set<string>()
  for (let at = Object.getPrototypeOf(resource); at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) names.add(name)
  }
  names.delete('constructor')
  return [...names]
}

/** @returns the request, or undefined where a part of its path was not filled */
function requestOf(method: string, url: URL): string | undefined {
  const path = decodeURIComponent(url.pathname)
    .replaceAll(/\/{2,}/g, '/')
    .replaceAll(filled, ':')
  if (/\b(undefined|null)\b|\[object/.test(path)) return undefined
  return `${method.toUpperCase()} ${path.startsWith(api) ? path.slice(api.length) : `root:${path}`}`
}

/** Takes texts as files. */
class Form {
  append(): void {}
}

/**
 * @param client the exports of `@gitbeaker/rest`
 * @returns its requests, and the methods that sent nothing: what they would send is not known
 */
export async function requestsOfGitbeaker(client: object): Promise<{ requests: string[]; silent: string[] }> {
  const { FormData } = globalThis
  const { noDeprecation = false } = process
  Object.assign(globalThis, { FormData: Form })
  process.noDeprecation = true
  try {
    return await callResources(client)
  } finally {
    Object.assign(globalThis, { FormData })
    process.noDeprecation = noDeprecation
  }
}

/** Resources, but not `Gitlab`, which is all of them, and errors. */
const isResource = ([name, member]: [string, unknown]) =>
  typeof member === 'function' && name !== 'Gitlab' && !name.endsWith('Error')

async function callResources(client: object) {
  const requests = new Set<string>()
  const silent: string[] = []
  let sent = 0
  const send = (method: string, url: string) => async (endpoint: string) => {
    const request = requestOf(method, new URL(endpoint, `${url}/`))
    if (request === undefined) return
    sent += 1
    requests.add(request)
    return { body: {}, status: 200, headers: {} }
  }
  const requesterFn = ({ url }: { url: string }) =>
    Object.fromEntries(methods.map((method) => [method, send(method, url)]))
  for (const [className, member] of Object.entries(client).filter(isResource)) {
    const resource = new (member as ResourceClass)({ requesterFn, token: 'none' })
    // Some methods ask for the token of a job.
    Object.assign(resource, { headers: { 'job-token': 'none' } })
    for (const name of namesOf(resource)) {
      const before = sent
      await callInAllWays(resource, name)
      if (sent === before) silent.push(`${className}.${name}`)
    }
  }
  return { requests: [...requests], silent }
}

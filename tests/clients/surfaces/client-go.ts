/** What client-go can send, read in its sources: a function that sends a request names its method and its path. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The machinery of all requests, and queries of GraphQL, which have an address of their own. */
const skipped = ['gitlab.go', 'graphql.go', 'request_handler.go', 'route.go']

/** Routes that several kinds of objects share: what the functions of the client put for their kind. */
const families: readonly { form: RegExp; kinds: readonly string[] }[] = [
  { form: /^\/:(\/:\/custom_attributes)/, kinds: ['/users', '/groups', '/projects'] },
  { form: /^\/:(\/:\/uploads)/, kinds: ['/projects', '/groups'] },
  {
    form: /^\/projects\/:\/:(\/:(\/notes\/:)?\/award_emoji)/,
    kinds: ['/projects/:/issues', '/projects/:/merge_requests', '/projects/:/snippets'],
  },
  {
    form: /^\/projects\/:\/:(\/:\/(time_stats|time_estimate|(add|reset)_[a-z_]+)$)/,
    kinds: ['/projects/:/issues', '/projects/:/merge_requests'],
  },
]

const verb = /%[sdv]/g

const all = (text: string, form: RegExp) => [...text.matchAll(form)].map((match) => match.slice(1))

/** A part that begins with a parameter is one; `archive%s` stands for `archive` and for `archive.zip`. */
function pathsOf(template: string): string[] {
  const path = `/${template.replace(/^\//, '').replaceAll(/(?<=^|[/.])%[sdv](?=\/|$)/g, ':')}`
  const endings = path.search(verb) < 0 ? [''] : ['', '.:']
  const family = families.find(({ form }) => form.test(path))
  const paths = family?.kinds.map((kind) => path.replace(family.form, `${kind}$1`)) ?? [path]
  return paths.flatMap((one) => endings.map((ending) => one.replaceAll(verb, ending)))
}

/** The paths that a function makes: the first text is the path, those that begin with `%s` go on with it. */
function templatesIn(text: string): string[] {
  const [first, ...others] = all(text, /fmt\.Sprintf\(\s*"([^"]*)"/g).flat()
  if (first === undefined) return []
  return [first, ...others.filter((other) => /^%s[^/]/.test(other)).map((other) => first + other.slice('%s'.length))]
}

/** Requests of `do(…, withMethod(http.MethodPut), withPath(routeProjectsID, …))`; the paths of one function have one method. */
function usualRequests(text: string, routes: ReadonlyMap<string, string>): string[] {
  const [method = 'Get', ...more] = all(text, /withMethod\(http\.Method(\w+)\)/g).flat()
  if (more.length > 0) return []
  const names = all(text, /withPath\(\s*(\w+)/g).flat()
  const paths = names.flatMap((name) => [routes.get(name) ?? []].flat().flatMap(pathsOf))
  return paths.map((path) => `${method.toUpperCase()} ${path}`)
}

/** Requests of `NewRequest(http.MethodGet, u, …)`, whose method may be replaced afterwards. */
function ownRequests(text: string, functions: ReadonlyMap<string, string>): string[] {
  const [, method = '', address = ''] = /\.NewRequest\(http\.Method(\w+), ("[^"]*"|\w+)/.exec(text) ?? []
  const replaced = /req\.Method = http\.Method(\w+)/.exec(text)?.[1] ?? method
  const helper = functions.get(/, err := s\.(\w+)\(/.exec(text)?.[1] ?? '') ?? ''
  const own = address.startsWith('"') ? [address.slice(1, -1)] : templatesIn(text)
  const templates = own.length > 0 ? own : templatesIn(helper)
  return templates.flatMap(pathsOf).map((path) => `${replaced.toUpperCase()} ${path}`)
}

/** The functions of the package without their comments, by name; methods of the same name follow each other. */
function functionsIn(sources: readonly string[]): [name: string, text: string][] {
  const chunks = sources.flatMap((source) =>
    source
      .replaceAll(/^\s*\/\/.*$/gm, '')
      .split(/^(?=func )/m)
      .slice(1),
  )
  return chunks.map((text) => [/^func (?:\([^)]*\) )?(\w+)/.exec(text)?.[1] ?? '', text])
}

/**
 * @param folder of the sources
 * @returns its requests, and the functions that send something which cannot be read
 */
export function requestsOfClientGo(folder: string): { requests: string[]; silent: string[] } {
  const names = globSync('*.go', { cwd: folder }).filter((name) => !/_test\.go$/.test(name) && !skipped.includes(name))
  const sources = names.map((name) => readFileSync(join(folder, name), 'utf8'))
  const declared = sources.flatMap((source) => all(source, /\b(route\w+)\s*=\s*route\("([^"]*)"\)/g))
  const routes = new Map(declared.map(([name = '', template = '']) => [name, template]))
  const functions = functionsIn(sources)
  const byName = new Map(functions)
  const requests: string[] = []
  const silent: string[] = []
  for (const [name, text] of functions) {
    if (!/\bdo\[|\.NewRequest\(/.test(text)) continue
    const found = /\bdo\[/.test(text) ? usualRequests(text, routes) : ownRequests(text, byName)
    if (found.length === 0) silent.push(name)
    requests.push(...found)
  }
  return { requests: [...new Set(requests)], silent }
}

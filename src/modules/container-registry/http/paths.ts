import type { RegistryEndpoint, RepositoryEndpoint } from './endpoint.ts'

type Endpoints<Endpoint> = ReadonlyMap<string, Endpoint>

/** A path of `/v2/`: its endpoints by method and, for a repository, what the path names. */
export type RegistryPath =
  | { kind: 'registry'; endpoints: Endpoints<RegistryEndpoint> }
  | { kind: 'repository'; name: string; reference: string; endpoints: Endpoints<RepositoryEndpoint> }

export type RegistryPaths = (path: string) => RegistryPath | null

/** A form of path below a repository, with its endpoints by method. */
type Form = { pattern: RegExp; endpoints: Map<string, RepositoryEndpoint> }

const prefix = '/v2/{name}'

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Groups endpoints by their path. */
function byPath<Endpoint extends { path: string; method: string }>(endpoints: readonly Endpoint[]) {
  const grouped = Map.groupBy(endpoints, ({ path }) => path)
  return [...grouped].map(([path, held]) => [path, new Map(held.map((one) => [one.method, one]))] as const)
}

/** The pattern of what follows the name. The final slash of a path is optional. */
function patternOf(path: string): RegExp {
  const suffix = path.slice(prefix.length).replace(/\{\w+\}$/, '([^/]+)')
  return new RegExp(`^/(.+)${suffix.replace(/\/$/, '/?')}$`)
}

/** The form that leaves the longest name. Of two such forms, the one with fixed text is meant. */
function lastForm(forms: readonly Form[], rest: string) {
  let best: { name: string; reference: string | undefined; form: Form } | null = null
  for (const form of forms) {
    const [matched, name = '', reference] = form.pattern.exec(rest) ?? []
    if (matched === undefined || (best && best.name.length > name.length)) continue
    if (best?.name.length === name.length && reference !== undefined) continue
    best = { name, reference, form }
  }
  return best
}

/**
 * Builds the finder of endpoints. A path of a repository is divided at its last part that has the form of an endpoint, so
 * that names may contain such parts themselves (contract 02 R1).
 * @returns a function of the path without its query; null when no endpoint has the path
 */
export function registryPaths(
  registry: readonly RegistryEndpoint[],
  repository: readonly RepositoryEndpoint[],
): RegistryPaths {
  const fixed = new Map<string, Endpoints<RegistryEndpoint>>(byPath(registry))
  const forms = byPath(repository).map(([path, endpoints]) => ({ pattern: patternOf(path), endpoints }))
  return (path) => {
    const whole = fixed.get(path === '/v2' ? '/v2/' : path)
    if (whole) return { kind: 'registry', endpoints: whole }
    const found = lastForm(forms, path.slice('/v2'.length))
    if (!found) return null
    const { name, reference = '', form } = found
    return { kind: 'repository', name, reference: decode(reference), endpoints: form.endpoints }
  }
}

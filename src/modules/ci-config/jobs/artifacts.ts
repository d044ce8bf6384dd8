import { isNode } from '../document/tree.ts'
import type { Problems } from '../errors.ts'
import type { ConfigArtifacts, ConfigCache } from '../types.ts'
import { boolean, duration, hash, type Read, stringOrStrings, strings, text, word } from './values.ts'

const results = ['on_success', 'on_failure', 'always'] as const

const reports: Read<Record<string, string[]>> = (value, place, problems) => {
  if (value === undefined || value === null) return undefined
  if (!isNode(value)) return problems.add(place, 'config should be a hash')
  const read = Object.entries(value).map(([kind, paths]) => {
    // `coverage_report` is a hash with a path.
    const given = isNode(paths) ? paths.path : paths
    return [kind, stringOrStrings(given, `${place}:${kind}`, problems) ?? []] as const
  })
  return Object.fromEntries(read)
}

/** As written; only its validity is checked here. */
const expiry: Read<string> = (value, place, problems) => {
  if (value === undefined || value === null) return undefined
  if (value === 'never') return 'never'
  return duration(value, place, problems) === undefined ? undefined : String(value)
}

const artifactMembers = {
  name: text,
  untracked: boolean,
  paths: strings,
  exclude: strings,
  when: word(results),
  expire_in: expiry,
  expose_as: text,
  access: word(['all', 'developer', 'none', 'maintainer']),
  public: boolean,
  reports,
} satisfies Record<string, Read<unknown>>

export const artifacts: Read<ConfigArtifacts> = (value, place, problems) => {
  if (value === undefined || value === null) return undefined
  const read = hash(value, place, problems, artifactMembers)
  if (!read) return undefined
  const access = read.access ?? (read.public === false ? 'developer' : 'all')
  return {
    name: read.name ?? null,
    untracked: read.untracked ?? false,
    paths: read.paths ?? [],
    exclude: read.exclude ?? [],
    when: read.when ?? 'on_success',
    expireIn: read.expire_in ?? null,
    access: access === 'maintainer' ? 'developer' : access,
    reports: read.reports ?? {},
  }
}

const cacheKey: Read<ConfigCache['key']> = (value, place, problems) => {
  if (value === undefined || value === null) return undefined
  if (!isNode(value))
    return typeof value === 'object' ? problems.add(place, 'config should be a string or a hash') : String(value)
  const read = hash(value, place, problems, { files: strings, prefix: text })
  return read?.files ? { files: read.files, prefix: read.prefix ?? null } : undefined
}

const cacheMembers = {
  key: cacheKey,
  paths: strings,
  untracked: boolean,
  policy: text,
  when: word(results),
  unprotect: boolean,
  fallback_keys: strings,
} satisfies Record<string, Read<unknown>>

const policies = ['pull-push', 'pull', 'push'] as const

function cacheOf(value: unknown, place: string, problems: Problems): ConfigCache | undefined {
  const read = hash(value, place, problems, cacheMembers)
  if (!read) return undefined
  const policy = policies.find((known) => known === (read.policy ?? 'pull-push'))
  // The policy may be a variable, which the runner expands.
  if (!policy && !read.policy?.startsWith('$')) problems.add(place, `policy should be one of: ${policies.join(', ')}`)
  return {
    key: read.key ?? 'default',
    paths: read.paths ?? [],
    untracked: read.untracked ?? false,
    policy: policy ?? 'pull-push',
    when: read.when ?? 'on_success',
    fallbackKeys: read.fallback_keys ?? [],
  }
}

/** `cache`: one, or a list of at most four. */
export const cache: Read<ConfigCache[]> = (value, place, problems) => {
  if (value === undefined || value === null) return undefined
  const list = [value].flat()
  if (list.length > 4) return problems.add(place, 'config can only have up to 4 caches')
  return list.flatMap((one) => cacheOf(one, place, problems) ?? [])
}

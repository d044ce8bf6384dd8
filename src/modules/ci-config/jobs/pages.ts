import { isNode } from '../document/tree.ts'
import type { Problems } from '../errors.ts'
import type { ConfigArtifacts, ConfigPages } from '../types.ts'
import { duration, hash, type Read, text } from './values.ts'

/** A duration, or `never`. What refers to variables is checked when it is known. */
const expiry: Read<string> = (value, place, problems) => {
  const isOpen = typeof value === 'string' && (value === 'never' || value.includes('$'))
  if (isOpen) return value
  return duration(value, place, problems) === undefined ? undefined : String(value)
}

const members = { publish: text, path_prefix: text, expire_in: expiry } satisfies Record<string, Read<unknown>>

/** The folder of a site that names none, and the job that publishes without saying so. */
const usualFolder = 'public'
const usualJob = 'pages'

/** `pages`: whether the job publishes a site, or a hash that says how (contract 24, Pages). */
export const pages: Read<boolean | Partial<ConfigPages>> = (value, place, problems) => {
  if (value === undefined || value === null || typeof value === 'boolean') return value ?? undefined
  if (!isNode(value)) return problems.add(place, 'config should be a hash or a boolean value')
  const read = hash(value, place, problems, members)
  if (!read) return undefined
  const { publish, path_prefix: pathPrefix = null, expire_in: expireIn = null } = read
  return { ...(publish !== undefined && { publish }), pathPrefix, expireIn }
}

/** What a job publishes; null: nothing. @param publish the older keyword of the job itself */
export function publishedBy(
  job: string,
  given: boolean | Partial<ConfigPages> | undefined,
  publish: string | undefined,
): ConfigPages | null {
  if (given === false || (given === undefined && job !== usualJob)) return null
  return { publish: publish ?? usualFolder, pathPrefix: null, expireIn: null, ...(typeof given === 'object' && given) }
}

const noArtifacts: ConfigArtifacts = {
  ...{ name: null, untracked: false, paths: [], exclude: [], when: 'on_success', expireIn: null, access: 'all' },
  reports: {},
}

/** The artifacts of a job, among which is what it publishes where the job says with `pages` that it does. */
export function withPublished(
  artifacts: ConfigArtifacts | null,
  published: ConfigPages | null,
): ConfigArtifacts | null {
  if (!published) return artifacts
  const { paths, ...others } = artifacts ?? noArtifacts
  return { ...others, paths: paths.includes(published.publish) ? paths : [...paths, published.publish] }
}

/** Reports a folder that cannot be one of the archive. */
export function checkPublished(place: string, published: ConfigPages | null, problems: Problems): void {
  if (published && published.publish.trim() === '') problems.add(`${place}:pages:publish`, "can't be blank")
}

import { invalid } from '../../api/index.ts'
import { isUniqueViolation } from '../../infra/database/index.ts'
import type { LinkType } from './tables.ts'

/** A link as a request gives it. */
export type GivenLink = {
  name?: string
  url?: string
  direct_asset_path?: string | null
  /** Older name of the path. */
  filepath?: string | null
  link_type?: LinkType
}

/** The columns of a link that are given. */
export type LinkChanges = { name?: string; url?: string; filepath?: string | null; link_type?: LinkType }

const longestName = 255
const longestUrlBytes = 2_048
const longestPath = 128
const schemes = ['http:', 'https:', 'ftp:']

/** Segments of letters, digits, `-`, `.` and `_`, the last character a letter or a digit. */
const path = /^\/(?:[-.\w]+\/)*[-.\w]*[\da-zA-Z]$/
const upwards = /(?:^|\/)\.{1,2}(?:\/|$)/

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const blanks = /[\u0000-\u0020\u007f]/

function problemsOfName(name: string): string[] {
  if (name.trim() === '') return ["can't be blank"]
  return [...name].length > longestName ? [`is too long (maximum is ${longestName} characters)`] : []
}

function problemsOfUrl(url: string): string[] {
  if (url.trim() === '') return ["can't be blank"]
  if (Buffer.byteLength(url) > longestUrlBytes) return [`is too long (maximum is ${longestUrlBytes} characters)`]
  const parsed = blanks.test(url) ? null : URL.parse(url)
  if (!parsed) return ['must be a valid URL']
  if (!schemes.includes(parsed.protocol)) return ['is blocked: Only allowed schemes are http, https, ftp']
  // Without the slashes a client would read it as a path of its own.
  return /^[a-z]+:\/\//i.test(url) && parsed.hostname !== '' ? [] : ['must be a valid URL']
}

function problemsOfPath(text: string): string[] {
  if (text.length > longestPath) return [`is too long (maximum is ${longestPath} characters)`]
  return path.test(text) && !upwards.test(text) ? [] : ['is in an invalid format']
}

/**
 * The columns that a request asks for.
 * @throws ApiError 400 when one of them cannot be so
 */
export function linkChanges({ name, url, direct_asset_path, filepath: older, link_type }: GivenLink): LinkChanges {
  const filepath = direct_asset_path === undefined ? older : direct_asset_path
  const problems = {
    name: name === undefined ? [] : problemsOfName(name),
    url: url === undefined ? [] : problemsOfUrl(url),
    filepath: filepath ? problemsOfPath(filepath) : [],
  }
  const told = Object.fromEntries(Object.entries(problems).filter(([, sentences]) => sentences.length > 0))
  if (Object.keys(told).length > 0) throw invalid(told)
  return { name, url, filepath: filepath === undefined ? undefined : filepath || null, link_type }
}

/** What the caller is told when a release has such a link already. */
export function duplicateLink(error: unknown): unknown {
  const column = ['url', 'name', 'filepath'].find((one) => isUniqueViolation(error, `release_links_${one}_unique`))
  return column ? invalid({ [column]: ['has already been taken'] }) : error
}

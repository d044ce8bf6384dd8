import { blank, invalid, textProblems } from '../../../api/index.ts'
import { isUniqueViolation } from '../../../infra/database/index.ts'
import type { LinkType } from '../tables.ts'
import type { GivenLink } from './params.ts'

/** The given columns of a link. */
type LinkChanges = { name?: string; url?: string; filepath?: string | null; link_type?: LinkType }

const longestName = 255
const longestUrlBytes = 2_048
const longestPath = 128
const schemes = ['http:', 'https:', 'ftp:']

/** Segments of letters, digits, `-`, `.` and `_`, the last character a letter or a digit. */
const path = /^\/(?:[-.\w]+\/)*[-.\w]*[\da-zA-Z]$/
const upwards = /(?:^|\/)\.{1,2}(?:\/|$)/

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds them
const blanks = /[\u0000-\u0020\u007f]/

function problemsOfName(name: string): string[] {
  return textProblems(name, longestName)
}

function problemsOfUrl(url: string): string[] {
  if (url.trim() === '') return [blank]
  if (Buffer.byteLength(url) > longestUrlBytes) return [`is too long (maximum is ${longestUrlBytes} characters)`]
  const parsed = blanks.test(url) ? null : URL.parse(url)
  if (!parsed) return ['must be a valid URL']
  if (!schemes.includes(parsed.protocol)) return ['is blocked: Only allowed schemes are http, https, ftp']
  // Clients resolve an address without the slashes as a relative path.
  return /^[a-z]+:\/\//i.test(url) ? [] : ['must be a valid URL']
}

function problemsOfPath(text: string): string[] {
  if (text.length > longestPath) return [`is too long (maximum is ${longestPath} characters)`]
  return path.test(text) && !upwards.test(text) ? [] : ['is in an invalid format']
}

/** Validates the given members of a link. @throws ApiError 400 */
export function validLink({ name, url, direct_asset_path, filepath: older, link_type }: GivenLink): LinkChanges {
  const filepath = direct_asset_path === undefined ? older : direct_asset_path
  const problems = {
    name: name === undefined ? [] : problemsOfName(name),
    url: url === undefined ? [] : problemsOfUrl(url),
    filepath: filepath ? problemsOfPath(filepath) : [],
  }
  const invalidMembers = Object.fromEntries(Object.entries(problems).filter(([, sentences]) => sentences.length > 0))
  if (Object.keys(invalidMembers).length > 0) throw invalid(invalidMembers)
  return { name, url, filepath: filepath === undefined ? undefined : filepath || null, link_type }
}

/** The 400 for a violated unique constraint; other errors are returned unchanged. */
export function duplicateLink(error: unknown): unknown {
  const column = ['url', 'name', 'filepath'].find((one) => isUniqueViolation(error, `release_links_${one}_unique`))
  return column ? invalid({ [column]: ['has already been taken'] }) : error
}

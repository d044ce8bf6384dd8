import type { ArchiveFormat } from '../../infra/git/index.ts'

/** The names of formats, and the formats that they mean (contract 22, x.repo_archive). */
const formats = {
  'tar.gz': 'tar.gz',
  tgz: 'tar.gz',
  gz: 'tar.gz',
  'tar.bz2': 'tar.bz2',
  tbz: 'tar.bz2',
  tbz2: 'tar.bz2',
  tb2: 'tar.bz2',
  bz2: 'tar.bz2',
  tar: 'tar',
  zip: 'zip',
} as const satisfies Record<string, ArchiveFormat>

export type FormatName = keyof typeof formats
export const formatNames = Object.keys(formats) as FormatName[]

export function isFormatName(text: string): text is FormatName {
  return Object.hasOwn(formats, text)
}

export function formatOf(name: FormatName): ArchiveFormat {
  return formats[name]
}

/** Maximal length of file names in bytes, without the longest extension. */
const nameBytes = 255 - '.tar.bz2'.length
/** Length to which the parts of an overlong name are shortened; the commit in it makes the name unique. */
const partBytes = 60

/** The start of a text, in whole characters. */
function shortened(text: string, bytes: number): string {
  const buffer = Buffer.from(text)
  if (buffer.length <= bytes) return text
  let end = bytes
  while (((buffer[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return buffer.toString('utf8', 0, end)
}

/**
 * The name of an archive without extension, and of its top directory.
 * @param named the project's path, the requested revision, and the path inside the repository
 */
export function archiveName(named: { project: string; ref: string; commit: string; path?: string }): string {
  const flat = (text: string) => text.replaceAll('/', '-')
  const nameOf = (limit: number) => {
    const [project, ref, path] = [named.project, flat(named.ref), flat(named.path ?? '')].map((part) =>
      shortened(part, limit),
    )
    return [project, ref, named.commit, ...(path ? [path] : [])].join('-')
  }
  const whole = nameOf(Number.POSITIVE_INFINITY)
  return Buffer.byteLength(whole) <= nameBytes ? whole : nameOf(partBytes)
}

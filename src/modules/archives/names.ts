import type { ArchiveFormat } from '../../infra/git/index.ts'

/** The endings by which an archive is asked for, and what they stand for (contract 22, x.repo_archive). */
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

/** No file system takes longer names, in bytes; the longest ending is to fit as well. */
const nameBytes = 255 - '.tar.bz2'.length
/** What is left of each part of a name that is too long: it keeps its commit, by which it differs from others. */
const partBytes = 60

/** The beginning of a text, as far as whole characters fit. */
function shortened(text: string, bytes: number): string {
  const buffer = Buffer.from(text)
  if (buffer.length <= bytes) return text
  let end = bytes
  while (((buffer[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return buffer.toString('utf8', 0, end)
}

/**
 * What an archive is called, without its ending; its top directory is called the same.
 * @param named the project's path, the revision as it was asked for, and the path inside the repository
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

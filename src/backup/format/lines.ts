/** The manifest of a backup: one line of JSON for each part, in the order of the file (decision 0017). */

import type { ColumnKind, TableDescription } from '../../infra/database/index.ts'
import { diskPath, isObjectFile, parseOid, refName } from '../../infra/git/index.ts'
import { parseStorageKey } from '../../infra/objects/index.ts'
import { secretKeyName } from '../../infra/secrets/index.ts'
import { BackupRefused } from './refused.ts'

/** The version of the format. A release reads its own version and older ones. */
export const formatVersion = 1

/** Where a content is stored, and what it must be. */
export type Part = {
  /** The position of the first byte in the file. */
  at: number
  /** The number of bytes in the file. */
  storedBytes: number
  /** The number of bytes of the content. */
  sizeBytes: number
  /** The digest of the stored bytes. */
  sha256: string
  /** Whether the stored bytes are compressed. */
  zstd: boolean
  /** The number of the file in `bases` that has it; undefined: this file. */
  base?: number
}

/** Another backup that has contents of this one. */
export type Base = { id: string; file: string }

/** The first line: what was backed up. */
export type Header = {
  kind: 'backup'
  format: number
  id: string
  startedAt: string
  engine: 'sqlite' | 'postgres'
  migrations: string[]
  /** Public id of the key that encrypts the secrets in the database; null when there was none yet. */
  secretKeyId: string | null
  bases: Base[]
}

/** The last entry of the file: where the manifest is. */
export type Trailer = {
  format: number
  id: string
  manifest: Pick<Part, 'at' | 'storedBytes' | 'sizeBytes' | 'sha256'>
}

export type KeyLine = { kind: 'key'; file: string } & Part
export type TableLine = { kind: 'table' } & TableDescription
/** Rows of the last table: a line of JSON each. */
export type RowsLine = { kind: 'rows' } & Part
export type RepositoryLine = {
  kind: 'repository'
  id: number
  storage: string
  path: string
  head: string
  format: 'sha1' | 'sha256'
}
/** The refs of the last repository. */
export type RefsLine = { kind: 'refs' } & Part
/** A file in `objects/` of the last repository. */
export type GitLine = { kind: 'git'; file: string } & Part
export type ObjectLine = { kind: 'object'; key: string; modifiedMs: number } & Part

export type Line = Header | KeyLine | TableLine | RowsLine | RepositoryLine | RefsLine | GitLine | ObjectLine

/** The files of the data folder that are keys. */
export const keyFiles = [
  secretKeyName,
  'root-token',
  'ssh/ssh_host_ed25519_key',
  'ssh/ssh_host_ecdsa_key',
  'ssh/ssh_host_rsa_key',
] as const

/** Contents that are read into memory. */
const largestBytes = { key: 65_536, rows: 256 * 1024 * 1024, refs: 512 * 1024 * 1024 }

type Fields = Record<string, unknown>
type Check = (value: unknown) => boolean

const text: Check = (value) => typeof value === 'string' && value.length <= 4096
const count: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0
const listOf = (check: Check) => (value: unknown) => Array.isArray(value) && value.every(check)
const matching = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value)
const name = matching(/^[a-z][a-z0-9_]{0,62}$/)
const among = (values: readonly unknown[]) => (value: unknown) => values.includes(value)
const shape = (checks: Record<string, Check>) => (value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(checks).every((key) => checks[key]?.((value as Fields)[key])) &&
  Object.keys(value).every((key) => key in checks)

function isStorageKey(value: unknown): boolean {
  try {
    return typeof value === 'string' && parseStorageKey(value) === value
  } catch {
    return false
  }
}

const columnKinds: readonly ColumnKind[] = ['integer', 'number', 'text', 'boolean', 'time', 'date', 'json']

const digest = matching(/^[0-9a-f]{64}$/)
const part = {
  at: count,
  storedBytes: count,
  sizeBytes: count,
  sha256: digest,
  zstd: among([true, false]),
  base: (value: unknown) => value === undefined || count(value),
}

/** What each line may contain. Names of files are never used before they have passed. */
const shapes: Record<Line['kind'], Check> = {
  backup: shape({
    kind: text,
    format: count,
    id: matching(/^[0-9a-f]{32}$/),
    startedAt: matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    engine: among(['sqlite', 'postgres']),
    migrations: listOf(text),
    secretKeyId: (value) => value === null || matching(/^[0-9a-f]{16}$/)(value),
    bases: listOf(shape({ id: matching(/^[0-9a-f]{32}$/), file: matching(/^[^/\\\0]{1,255}$/) })),
  }),
  key: shape({ kind: text, file: among(keyFiles), ...part }),
  table: shape({
    kind: text,
    name,
    columns: listOf(shape({ name, kind: among(columnKinds) })),
    lastId: (value) => value === null || count(value),
  }),
  rows: shape({ kind: text, ...part }),
  repository: shape({
    kind: text,
    id: count,
    storage: matching(/^[A-Za-z0-9_-]+$/),
    path: (value) => typeof value === 'string' && diskPath(value) !== null,
    head: (value) => typeof value === 'string' && refName(value) !== null,
    format: among(['sha1', 'sha256']),
  }),
  refs: shape({ kind: text, ...part }),
  git: shape({ kind: text, file: (value) => typeof value === 'string' && isObjectFile(value), ...part }),
  object: shape({ kind: text, key: isStorageKey, modifiedMs: count, ...part }),
}

const trailer = shape({
  format: count,
  id: matching(/^[0-9a-f]{32}$/),
  manifest: shape({ at: count, storedBytes: count, sizeBytes: count, sha256: digest }),
})

/** Parses the last entry. @returns null when it is not one */
export function parseTrailer(json: string): Trailer | null {
  try {
    const value = JSON.parse(json)
    return trailer(value) ? (value as Trailer) : null
  } catch {
    return null
  }
}

/** Whether a line has a content. */
export function hasPart(line: Line): line is Extract<Line, Part> {
  return 'sha256' in line
}

/** Parses a line of a manifest. @throws BackupRefused for anything but a valid line */
export function parseLine(json: string): Line {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    value = null
  }
  const { kind } = (value ?? {}) as { kind?: unknown }
  const isValid = typeof kind === 'string' && Object.hasOwn(shapes, kind) && shapes[kind as Line['kind']](value)
  if (!isValid) throw new BackupRefused('its manifest has an invalid line')
  const line = value as Line
  if (line.kind in largestBytes && hasPart(line)) {
    const largest = largestBytes[line.kind as keyof typeof largestBytes]
    if (line.sizeBytes > largest) throw new BackupRefused('it has a part that is too large')
  }
  if (hasPart(line) && !line.zstd && line.sizeBytes !== line.storedBytes) {
    throw new BackupRefused('its manifest has an invalid line')
  }
  return line
}

const refLine = /^([0-9a-f]+) (refs\/.+)$/

/** Whether a text has the form in which refs are stored. */
export function areRefs(refs: string): boolean {
  if (refs !== '' && !refs.endsWith('\n')) return false
  return refs
    .split('\n')
    .slice(0, -1)
    .every((line) => {
      const [, oid = '', ref = ''] = refLine.exec(line) ?? []
      return parseOid(oid) !== null && refName(ref) !== null
    })
}

const order: Record<Line['kind'], number> = {
  backup: 0,
  key: 1,
  table: 2,
  rows: 2,
  repository: 3,
  refs: 3,
  git: 3,
  object: 4,
}

/** Checks that lines are in the one order that a backup has, so that no name occurs twice. @throws BackupRefused */
export function orderCheck(): (line: Line) => void {
  let last: Line | undefined
  let repositoryId = 0
  let objectKey = ''
  const tables = new Set<string>()
  return (line) => {
    const wrong = () => new BackupRefused('the lines of its manifest are not in order')
    if ((line.kind === 'backup') !== (last === undefined)) throw wrong()
    if (last && order[line.kind] < order[last.kind]) throw wrong()
    if (line.kind === 'rows' && last?.kind !== 'rows' && last?.kind !== 'table') throw wrong()
    if ((line.kind === 'refs') !== (last?.kind === 'repository')) throw wrong()
    if (line.kind === 'git' && last?.kind !== 'refs' && last?.kind !== 'git') throw wrong()
    if (line.kind === 'table' && tables.has(line.name)) throw wrong()
    if (line.kind === 'repository' && line.id <= repositoryId) throw wrong()
    if (line.kind === 'object' && line.key <= objectKey) throw wrong()
    if (line.kind === 'table') tables.add(line.name)
    if (line.kind === 'repository') repositoryId = line.id
    if (line.kind === 'object') objectKey = line.key
    last = line
  }
}

import type { Actor } from '../../api/index.ts'
import type { Reader } from '../../infra/database/index.ts'
import type { Platform } from '../platform.ts'

/** A project or group whose relations are exported (contract 14). */
export type Portable = {
  kind: 'project' | 'group'
  id: number
  /** That of the group itself, or of the project's group or user. */
  namespaceId: number
  /** Who asked for the export. */
  actor: Actor
}

/**
 * A line of an exported relation: a row without its own id, with what belongs to it. Users are referred to by ids in members
 * whose names end in `_id` as those of the columns; secrets never occur.
 */
export type ExportedLine = Readonly<Record<string, unknown>>

/**
 * Reads a relation of a project or group, in the order of its export and a bounded portion at a time.
 * @param db a snapshot: all portions see the same state
 */
export type ExportedLines = (
  platform: Platform,
  db: Reader,
  portable: Portable,
) => AsyncIterable<readonly ExportedLine[]>

/** The content of an exported file, and its size. */
export type OpenedFile = { sizeBytes: number; content: AsyncIterable<Uint8Array> }

/** A file of an exported relation. */
export type ExportedFile = {
  /** Its path in the archive. */
  path: string
  /** ISO 8601. */
  modifiedAt: string
  /** Opens the content; null when it does not exist any more. */
  open(): Promise<OpenedFile | null>
}

/** Finds the files of a relation, a bounded portion at a time. */
export type ExportedFiles = (platform: Platform, portable: Portable) => AsyncIterable<readonly ExportedFile[]>

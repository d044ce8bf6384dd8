import type { UserActor } from '../../api/index.ts'
import type { Tx } from '../../infra/database/index.ts'
import type { Platform } from '../platform.ts'
import { BadLine, type ImportedLine, lineOf, textOf, timeOf } from './values.ts'

/** How rows came to be: written here, or imported from a file or from a server (contract 25, What an import makes). */
const importSources = ['none', 'gitlab_project', 'gitlab_migration'] as const
export type ImportSource = (typeof importSources)[number]

/** The members of objects that say whether they were imported, and how. */
export const importMembers = ({ imported_from }: { imported_from: ImportSource }) => ({
  imported: imported_from !== 'none',
  imported_from,
})

/** The users whom the lines of an import name by their ids at the other server. */
export type ImportedUsers = {
  /** The user of this server who is the same person; null when no one was found. */
  localId(foreignId: number): number | null
  /** The name at the other server; null when its files do not say. */
  nameOf(foreignId: number): string | null
}

/** A project or group of this server into which relations are imported. */
export type Importing = {
  kind: 'project' | 'group'
  id: number
  /** That of the group itself, or of the project's group or user. */
  namespaceId: number
  /** Who imports. They take the place of users who were not found. */
  importer: UserActor
  source: Exclude<ImportSource, 'none'>
  users: ImportedUsers
  /** The place on disk of a file that came with the lines, such as a bundle; null when there is none. */
  placeOf(path: string): Promise<string | null>
  signal: AbortSignal
}

/** Writes what a line or a file says. It may run again, in another transaction, when the first has failed. */
export type RecordImported = (tx: Tx) => Promise<void>

/**
 * Imports a line of a relation. It may read, and work with git and files; only the returned function writes rows, in the transaction in
 * which the progress of the import is recorded.
 * @throws BadLine, ApiError for a line that cannot be imported; the import goes on with the next
 */
export type ImportLine = (platform: Platform, into: Importing, line: ImportedLine) => Promise<RecordImported>

/** A file of a relation, as another server has exported it. */
export type ImportedFile = {
  /** Its path in the archive of the relation: relative, without `.` and `..`. */
  path: string
  sizeBytes: number
  open(): AsyncIterable<Buffer>
}

/** Imports a file of a relation, as `ImportLine` does a line. */
export type ImportFile = (platform: Platform, into: Importing, file: ImportedFile) => Promise<RecordImported>

const unknownName = 'Unknown user'
const longestName = 255

/** The user whom a member of a line names; null when it names none, or one who was not found. */
export function userOf({ users }: Importing, line: ImportedLine, name: string): number | null {
  const id = line[name]
  return typeof id === 'number' ? users.localId(id) : null
}

/** The user whom a member of a line names, else the importer. */
export const userOrImporter = (into: Importing, line: ImportedLine, name: string): number =>
  userOf(into, line, name) ?? into.importer.userId

/** The name of an author who was not found. */
function nameOfAuthor({ users }: Importing, line: ImportedLine): string {
  const id = line.author_id
  const author = line.author === undefined ? null : lineOf(line, 'author')
  const name = (author && textOf(author, 'name')) ?? (typeof id === 'number' ? users.nameOf(id) : null) ?? unknownName
  return name.replaceAll(/\s+/g, ' ').slice(0, longestName)
}

/**
 * The author of what a line says, with its text. When the author was not found, the importer takes their place, and the text names them
 * (contract 25, What an import makes).
 * @param text that of the line
 */
export function authoredText<Text extends string | null>(
  into: Importing,
  line: ImportedLine,
  text: Text,
): { authorId: number; text: Text | string } {
  const authorId = userOf(into, line, 'author_id')
  if (authorId !== null) return { authorId, text }
  const at = timeOf(line, 'created_at')
  if (at === null) throw new BadLine('created_at is missing')
  const head = `*By ${nameOfAuthor(into, line)} on ${at.slice(0, 19)} (imported from GitLab)*`
  return { authorId: into.importer.userId, text: text ? `${head}\n\n${text}` : head }
}

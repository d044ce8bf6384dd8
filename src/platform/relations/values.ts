/** Reads the members of lines that another server has exported. A member that is missing is null. */
import { isObject, type JsonObject } from '../../infra/json/index.ts'

/** A line of a relation, as another server has exported it: nothing of it is checked yet. */
export type ImportedLine = JsonObject

/** A line that cannot be imported. The message is shown to users. */
export class BadLine extends Error {
  override name = 'BadLine'
}

/** Descriptions and notes (contract 00, Limits). */
const longestText = 1024 * 1024
const longestTitle = 255

const refused = (name: string, reason: string) => new BadLine(`${name} ${reason}`)

/** A text. @param longest in characters @throws BadLine */
export function textOf(line: ImportedLine, name: string, longest = longestText): string | null {
  const value = line[name] ?? null
  if (value === null) return null
  if (typeof value !== 'string') throw refused(name, 'is invalid')
  if (value.length > longest) throw refused(name, `is too long (maximum is ${longest} characters)`)
  // PostgreSQL stores no NUL, and neither engine half of a surrogate pair.
  return value.replaceAll('\0', '').toWellFormed()
}

/** A text that must be there, and not be blank. @throws BadLine */
export function requiredText(line: ImportedLine, name: string, longest = longestTitle): string {
  const value = textOf(line, name, longest)
  if (value === null || value.trim() === '') throw refused(name, "can't be blank")
  return value
}

/** One of some texts; any other counts as the default. */
export function wordOf<Word extends string, Default extends Word | null>(
  line: ImportedLine,
  name: string,
  words: readonly Word[],
  otherwise: Default,
): Word | Default {
  const value = line[name]
  return words.find((word) => word === value) ?? otherwise
}

/** A whole number. @throws BadLine */
export function integerOf(
  line: ImportedLine,
  name: string,
  { least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER } = {},
): number | null {
  const value = line[name] ?? null
  if (value === null) return null
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least || value > most) {
    throw refused(name, 'is invalid')
  }
  return value
}

/** The number of an issue, merge request, milestone and the like in its project or group. @throws BadLine */
export function iidOf(line: ImportedLine): number {
  const iid = integerOf(line, 'iid', { least: 1, most: 2 ** 31 - 1 })
  if (iid === null) throw refused('iid', 'is missing')
  return iid
}

/** @throws BadLine */
export function numberOf(line: ImportedLine, name: string): number | null {
  const value = line[name] ?? null
  if (value === null) return null
  if (typeof value !== 'number' || !Number.isFinite(value)) throw refused(name, 'is invalid')
  return value
}

/** @throws BadLine */
export function booleanOf<Default extends boolean | null>(
  line: ImportedLine,
  name: string,
  otherwise: Default,
): boolean | Default {
  const value = line[name] ?? null
  if (value === null) return otherwise
  if (typeof value !== 'boolean') throw refused(name, 'is invalid')
  return value
}

const timeForm = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}/

/** A time, as ISO 8601 text with milliseconds in UTC. @throws BadLine */
export function timeOf(line: ImportedLine, name: string): string | null {
  const value = line[name] ?? null
  if (value === null) return null
  const at = typeof value === 'string' && timeForm.test(value) ? new Date(value.replace(/ UTC$/, 'Z')) : null
  if (!at || Number.isNaN(at.getTime())) throw refused(name, 'is invalid')
  return at.toISOString()
}

/** A time that must be there. @throws BadLine */
export function requiredTime(line: ImportedLine, name: string): string {
  const value = timeOf(line, name)
  if (value === null) throw refused(name, 'is missing')
  return value
}

/** When what a line says was made and last changed. @throws BadLine */
export function timesOf(line: ImportedLine): { created_at: string; updated_at: string } {
  const created_at = requiredTime(line, 'created_at')
  return { created_at, updated_at: timeOf(line, 'updated_at') ?? created_at }
}

/** A day, as `YYYY-MM-DD`. @throws BadLine */
export function dateOf(line: ImportedLine, name: string): string | null {
  const value = line[name] ?? null
  if (value === null) return null
  const day = typeof value === 'string' ? value.slice(0, 10) : ''
  const at = /^\d{4}-\d{2}-\d{2}$/.test(day) ? new Date(`${day}T00:00:00Z`) : null
  if (!at || Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== day) throw refused(name, 'is invalid')
  return day
}

/** An embedded row; null when there is none. @throws BadLine */
export function lineOf(line: ImportedLine, name: string): ImportedLine | null {
  const value = line[name] ?? null
  if (value === null) return null
  if (!isObject(value)) throw refused(name, 'is invalid')
  return value
}

/** Embedded rows; none when the member is missing. @throws BadLine */
export function linesOf(line: ImportedLine, name: string): readonly ImportedLine[] {
  const value = line[name] ?? []
  if (!Array.isArray(value) || !value.every(isObject)) throw refused(name, 'is invalid')
  return value
}

/** The full id of a commit; null when there is none. @throws BadLine */
export function shaOf(line: ImportedLine, name: string): string | null {
  const value = line[name] ?? null
  if (value === null || value === '') return null
  if (typeof value !== 'string' || !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value)) throw refused(name, 'is invalid')
  return value
}

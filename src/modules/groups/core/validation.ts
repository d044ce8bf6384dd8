import { isUniqueViolation } from '../../../infra/database/index.ts'
import {
  isGroupName,
  isNamespacePath,
  isReservedPath,
  isStrictPath,
  type NamespaceRow,
  type Visibility,
} from '../../namespaces/index.ts'
import { isTooVisible } from './visibility.ts'

/** Sentences by field (contract 21, x.groups_create). */
export type Problems = Record<string, string[]>

/** Maximum of ancestors of a group. */
export const maximumDepth = 20
const maximumLength = 255
const maximumDescription = 500

export const taken = 'has already been taken'
export const tooDeep = 'has too deep level of nesting'

const nameRule =
  "can contain only letters, digits, emoji, '_', '.', dash, space, parenthesis. It must start with letter, digit, " +
  "emoji or '_'."
const pathRule =
  "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."
const strictPathRule =
  "can only include non-accented letters, digits, '_', '-' and '.'. It must not start with '-', '_', or '.', nor end " +
  "with '-', '_', '.', '.git', or '.atom'."

function tooLong(text: string, maximum: number): string[] {
  return [...text].length > maximum ? [`is too long (maximum is ${maximum} characters)`] : []
}

export function nameProblems(name: string): string[] {
  if (name.trim() === '') return ["can't be blank"]
  return [...tooLong(name, maximumLength), ...(isGroupName(name) ? [] : [nameRule])]
}

/** Whether the path is reserved, alone or with the parts above it: some reserved paths have several parts. */
function isReserved(path: string, parent: Pick<NamespaceRow, 'full_path'> | null): boolean {
  if (!parent) return isReservedPath(path, { topLevel: true })
  const above = parent.full_path.split('/')
  const ends = [0, 1, 2].map((count) => [...above.slice(above.length - count), path].join('/'))
  return ends.some((end) => isReservedPath(end, { topLevel: false }))
}

export function pathProblems(path: string, parent: Pick<NamespaceRow, 'full_path'> | null): string[] {
  if (path.trim() === '') return ["can't be blank"]
  return [
    ...tooLong(path, maximumLength),
    ...(isNamespacePath(path) ? [] : [pathRule]),
    ...(isStrictPath(path) ? [] : [strictPathRule]),
    ...(isReserved(path, parent) ? [`${path} is a reserved name`] : []),
  ]
}

export function descriptionProblems(description: string): string[] {
  return tooLong(description, maximumDescription)
}

/** @param refused levels that the caller may not use (contract 21 R3) */
export function visibilityProblems(
  visibility: Visibility,
  parent: Pick<NamespaceRow, 'visibility'> | null,
  refused: readonly Visibility[],
): string[] {
  if (refused.includes(visibility)) return [`${visibility} has been restricted by your GitLab administrator`]
  if (!parent || !isTooVisible(visibility, parent.visibility)) return []
  return [`${visibility} is not allowed since the parent group has a ${parent.visibility} visibility.`]
}

/** Leaves out fields without problems. */
export function onlyProblems(fields: Problems): Problems {
  return Object.fromEntries(Object.entries(fields).filter(([, sentences]) => sentences.length > 0))
}

/** A text in the form of Ruby's `inspect`. */
function inspect(text: string): string {
  return JSON.stringify(text).replace(/#(?=[{$@])/g, '\\#')
}

/** The message of a failed creation: `Failed to save group {:path=>["…"]}`. */
export function failedToSave(problems: Problems): string {
  const fields = Object.entries(problems).map(
    ([field, sentences]) => `:${field}=>[${sentences.map(inspect).join(', ')}]`,
  )
  return `Failed to save group {${fields.join(', ')}}`
}

/** The problem behind a unique violation, when a concurrent request took name or path; null for other errors. */
export function takenField(error: unknown): Problems | null {
  if (!isUniqueViolation(error)) return null
  return isUniqueViolation(error, 'namespaces_name_unique') ? { name: [taken] } : { path: [taken] }
}

import { blank, lengthProblems, type Problems, taken } from '../../../api/index.ts'
import { isUniqueViolation, type Tx } from '../../../infra/database/index.ts'
import {
  isGroupName,
  isPathTaken,
  isReservedPath,
  isWider,
  type NamespaceRow,
  namespacePathProblems,
  strictPathProblems,
  type Visibility,
} from '../../namespaces/index.ts'
import { hasMoreVisible, isNameTaken } from './store.ts'

/** Maximum of ancestors of a group. */
export const maximumDepth = 20
const maximumLength = 255
const maximumDescription = 500

const nameRule =
  "can contain only letters, digits, emoji, '_', '.', dash, space, parenthesis. It must start with letter, digit, " +
  "emoji or '_'."

function nameProblems(name: string): string[] {
  if (name.trim() === '') return [blank]
  return [...lengthProblems(name, maximumLength), ...(isGroupName(name) ? [] : [nameRule])]
}

/** Whether the path is reserved, alone or with the parts above it: some reserved paths have several parts. */
function isReserved(path: string, parent: NamespaceRow | null): boolean {
  if (!parent) return isReservedPath(path, { topLevel: true })
  const above = parent.full_path.split('/')
  const ends = [0, 1, 2].map((count) => [...above.slice(above.length - count), path].join('/'))
  return ends.some((end) => isReservedPath(end, { topLevel: false }))
}

function pathProblems(path: string, parent: NamespaceRow | null): string[] {
  if (path.trim() === '') return [blank]
  return [
    ...lengthProblems(path, maximumLength),
    ...namespacePathProblems(path),
    ...strictPathProblems(path),
    ...(isReserved(path, parent) ? [`${path} is a reserved name`] : []),
  ]
}

function visibilityProblems(
  visibility: Visibility,
  parent: NamespaceRow | null,
  refused: readonly Visibility[],
): string[] {
  if (refused.includes(visibility)) return [`${visibility} has been restricted by your GitLab administrator`]
  if (!parent || !isWider(visibility, parent.visibility)) return []
  return [`${visibility} is not allowed since the parent group has a ${parent.visibility} visibility.`]
}

/** Problems of a visibility with what the changed group contains. */
async function problemsBelow(tx: Tx, id: number | undefined, visibility: Visibility): Promise<string[]> {
  if (id === undefined) return []
  const { subgroups, projects } = await hasMoreVisible(tx, id, visibility)
  const because = (what: string) => `${visibility} is not allowed since ${what} with higher visibility.`
  return [
    ...(projects ? [because('this group contains projects')] : []),
    ...(subgroups ? [because('there are sub-groups')] : []),
  ]
}

type Attributes = { name: string; path: string; description?: string | null; visibility?: Visibility }

/** What the attributes of a group are checked against. */
type Context = {
  parent: NamespaceRow | null
  /** Levels that the caller may not use (contract 21 R3). */
  refused: readonly Visibility[]
  /** The group that is changed: only attributes that differ are checked. */
  before?: NamespaceRow
}

/** The problems of the attributes of a new or changed group, under the lock of its tree (contract 21, x.groups_create). */
export async function attributeProblems(
  tx: Tx,
  { name, path, description, visibility }: Attributes,
  { parent, refused, before }: Context,
): Promise<Problems> {
  const isOtherName = name !== before?.name
  const isOtherPath = path !== before?.path
  const isOtherRoute = path.toLowerCase() !== before?.path.toLowerCase()
  const nameTaken = isOtherName && (await isNameTaken(tx, parent?.id ?? null, name, before?.id))
  const pathTaken = isOtherRoute && (await isPathTaken(tx, parent ? `${parent.full_path}/${path}` : path))
  const isOtherLevel = visibility !== undefined && visibility !== before?.visibility
  return {
    name: isOtherName ? [...nameProblems(name), ...(nameTaken ? [taken] : [])] : [],
    path: isOtherPath ? [...pathProblems(path, parent), ...(pathTaken ? [taken] : [])] : [],
    description: lengthProblems(description ?? '', maximumDescription),
    visibility_level: isOtherLevel
      ? [...visibilityProblems(visibility, parent, refused), ...(await problemsBelow(tx, before?.id, visibility))]
      : [],
  }
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

import { blank, lengthProblems, onlyProblems, type Problems, taken } from '../../../api/index.ts'
import { isUniqueViolation, type Reader } from '../../../infra/database/index.ts'
import {
  isPathTaken,
  isProjectName,
  isReservedPath,
  type NamespaceRow,
  projectPathProblems,
  strictPathProblems,
} from '../../namespaces/index.ts'
import { isNameTaken } from './store.ts'

const longest = 255
const longestDescription = 2000

const nameRule =
  "can contain only letters, digits, emoji, '_', '.', '+', dashes, or spaces. It must start with a letter, digit, emoji, or '_'."

function nameProblems(name: string): string[] {
  const wrong = name.trim() === '' ? [blank] : isProjectName(name) ? [] : [nameRule]
  return [...wrong, ...lengthProblems(name, longest)]
}

/** Problems of the path of a project within its namespace. */
export function pathProblems(path: string): string[] {
  return [
    ...projectPathProblems(path),
    ...strictPathProblems(path),
    ...lengthProblems(path, longest),
    ...(isReservedPath(path, { topLevel: false }) ? [`${path} is a reserved name`] : []),
  ]
}

type Attributes = { name?: string; path?: string; description?: string | null }

/** Problems of the given attributes of a project (contract 21 R4). */
export function attributeProblems({ name, path, description }: Attributes): Problems {
  return onlyProblems({
    name: name === undefined ? [] : nameProblems(name),
    'project_namespace.path': path === undefined ? [] : strictPathProblems(path),
    path: path === undefined ? [] : pathProblems(path),
    description: lengthProblems(description ?? '', longestDescription),
  })
}

type Wanted = { namespace: Pick<NamespaceRow, 'id' | 'full_path'>; name?: string; path?: string; exceptId?: number }

/**
 * The wanted name and path as far as other projects in the namespace have them; empty when both are free.
 * @param wanted.exceptId the project that gets them
 */
export async function clashes(db: Reader, wanted: Wanted): Promise<Problems> {
  const { namespace, name, path, exceptId } = wanted
  const problems: Problems = {}
  const nameTaken = async () => name !== undefined && isNameTaken(db, namespace.id, name, exceptId)
  const wasTaken = await nameTaken()
  if (path !== undefined && (await isPathTaken(db, `${namespace.full_path}/${path}`))) problems.path = [taken]
  // A project that was created between the two reads has the name too.
  if (wasTaken || (problems.path && (await nameTaken()))) {
    return { 'project_namespace.name': [taken], name: [taken], ...problems }
  }
  return problems
}

/**
 * The clashes behind a unique violation, when a concurrent request took the name or the path.
 * @throws unknown any other error
 */
export async function clashesAfter(db: Reader, error: unknown, wanted: Wanted): Promise<Problems> {
  if (!isUniqueViolation(error)) throw error
  const found = await clashes(db, wanted)
  // The clash may be gone since.
  const both = { 'project_namespace.name': [taken], name: [taken], path: [taken] }
  return Object.keys(found).length > 0 ? found : both
}

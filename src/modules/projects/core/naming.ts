import type { Reader } from '../../../infra/database/index.ts'
import {
  isPathTaken,
  isProjectName,
  isProjectPath,
  isReservedPath,
  isStrictPath,
  type NamespaceRow,
} from '../../namespaces/index.ts'
import type { Problems } from './problems.ts'
import { isNameTaken } from './store.ts'

const longest = 255
const tooLong = `is too long (maximum is ${longest} characters)`
const blank = "can't be blank"
const taken = 'has already been taken'

const nameRule =
  "can contain only letters, digits, emoji, '_', '.', '+', dashes, or spaces. It must start with a letter, digit, emoji, or '_'."
const pathRule =
  "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'"
const strictPathRule =
  "can only include non-accented letters, digits, '_', '-' and '.'. It must not start with '-', '_', or '.', nor end with '-', '_', '.', '.git', or '.atom'."

function add(problems: Problems, field: string, sentence: string): void {
  problems[field] = [...(problems[field] ?? []), sentence]
}

/** Adds the problems of a project's name (contract 21 R4). */
export function checkName(name: string, problems: Problems): void {
  if (name.trim() === '') add(problems, 'name', blank)
  else if (!isProjectName(name)) add(problems, 'name', nameRule)
  if ([...name].length > longest) add(problems, 'name', tooLong)
}

/** Adds the problems of a project's path (contract 21 R4). */
export function checkPath(path: string, problems: Problems): void {
  if (!isStrictPath(path)) add(problems, 'project_namespace.path', strictPathRule)
  if (!isProjectPath(path)) add(problems, 'path', pathRule)
  if (!isStrictPath(path)) add(problems, 'path', strictPathRule)
  if (path.length > longest) add(problems, 'path', tooLong)
  if (isReservedPath(path, { topLevel: false })) add(problems, 'path', `${path} is a reserved name`)
}

const longestDescription = 2000

export function checkDescription(description: string | null | undefined, problems: Problems): void {
  if ([...(description ?? '')].length > longestDescription) {
    add(problems, 'description', `is too long (maximum is ${longestDescription} characters)`)
  }
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

/** The problems when a unique index found a clash that is gone since. */
export const bothTaken: Problems = { 'project_namespace.name': [taken], name: [taken], path: [taken] }

import { badRequest, type ParamValues, parameterErrors, t } from '../../../api/index.ts'
import { type Commit, type Repository, zeroOid } from '../../../infra/git/index.ts'
import type { NotePosition } from '../tables.ts'
import { type DiffEnds, type DiffLine, fileDiffs, linesOf } from './diff-lines.ts'

const members = {
  base_sha: t.required(t.string({ description: 'The first parent; zeros for a first commit.' })),
  start_sha: t.required(t.string({ description: 'As `base_sha`.' })),
  head_sha: t.required(t.string({ description: 'The commit itself.' })),
  position_type: t.required(t.oneOf(['text'])),
  new_path: t.string(),
  new_line: t.integer({ description: 'Number of an added line; of an unchanged line with `old_line`.' }),
  old_path: t.string(),
  old_line: t.integer({ description: 'Number of a removed line; of an unchanged line with `new_line`.' }),
}

/** A line of a diff, as given in a request (contract 19, x.mr_disc_create). */
export const positionParam = t.object(members)
export type GivenPosition = ParamValues<typeof members>

/** A line of a commit's diff, as given with a comment. */
export type GivenLine = { path?: string; line?: number; line_type?: 'new' | 'old' }

type Shas = Pick<NotePosition, 'base_sha' | 'start_sha' | 'head_sha'>

function shasOf({ oid, parentOids }: Commit): Shas {
  const base = parentOids[0] ?? zeroOid(oid.length === zeroOid().length ? 'sha1' : 'sha256')
  return { base_sha: base, start_sha: base, head_sha: oid }
}

/** A diff with the commits that positions in it name. */
type NamedDiff = DiffEnds & { shas: Shas }

/** The diff between a commit and its first parent. */
function diffOf(commit: Commit): NamedDiff {
  return { from: commit.parentOids[0] ?? null, to: commit.oid, shas: shasOf(commit) }
}

/** The first line of a file's diff that matches; null when there is none. */
async function find(
  repository: Repository,
  diff: NamedDiff,
  path: string,
  matches: (line: DiffLine) => boolean,
): Promise<NotePosition | null> {
  for (const { patch, oldPath, newPath } of await fileDiffs(repository, diff, path)) {
    for (const line of linesOf(patch)) {
      if (!matches(line)) continue
      return {
        ...diff.shas,
        ...{ position_type: 'text', old_path: oldPath, new_path: newPath },
        ...{ old_line: line.oldLine, new_line: line.newLine },
      }
    }
  }
  return null
}

/** Finds the line of a discussion. @throws ApiError 400 when it is not in the diff with the first parent */
export async function requirePosition(
  repository: Repository,
  commit: Commit,
  given: GivenPosition,
): Promise<NotePosition> {
  const shas = shasOf(commit)
  const differs = (Object.keys(shas) as (keyof Shas)[]).some((name) => given[name].toLowerCase() !== shas[name])
  if (differs) throw badRequest('Note {:commit_id=>["does not match the diff refs"]}')
  return requireDiffPosition(repository, diffOf(commit), given)
}

/**
 * Finds the line of a diff that a request names.
 * @param diff null when the commits that the request names are those of no diff
 * @throws ApiError 400 when it is not in the diff
 */
export async function requireDiffPosition(
  repository: Repository,
  diff: NamedDiff | null,
  given: GivenPosition,
): Promise<NotePosition> {
  const { old_line: oldLine = null, new_line: newLine = null } = given
  const path = given.new_path || given.old_path || ''
  const isWanted = (line: DiffLine) => line.oldLine === oldLine && line.newLine === newLine
  const found = diff && (await find(repository, diff, path, isWanted))
  const hasOtherOldPath = Boolean(given.old_path) && given.old_path !== found?.old_path
  if (!found || hasOtherOldPath) {
    throw badRequest('Note {:line_code=>["can\'t be blank", "must be a valid line code"]}')
  }
  return found
}

/** Whether a comment is on a line. @throws ApiError 400, form A, for a path without `line` or `line_type` */
export function requireWholeLine({ path, line, line_type }: GivenLine): boolean {
  if (!path) return false
  const absent = line === undefined ? 'line' : line_type === undefined ? 'line_type' : null
  if (absent) throw parameterErrors([{ name: absent, missing: true, text: 'is missing' }])
  return true
}

/** The line of a comment; null when the commit does not change that line: the comment is then on the whole commit. */
export async function positionOfComment(
  repository: Repository,
  commit: Commit,
  { path = '', line = 0, line_type: side }: GivenLine,
): Promise<NotePosition | null> {
  return find(repository, diffOf(commit), path, ({ oldLine, newLine }) =>
    side === 'old' ? oldLine === line && newLine === null : newLine === line && oldLine === null,
  )
}

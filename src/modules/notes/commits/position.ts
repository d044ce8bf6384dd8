import { createHash } from 'node:crypto'
import { badRequest, type ParamValues, parameterErrors, t } from '../../../api/index.ts'
import { type Commit, type Repository, zeroOid } from '../../../infra/git/index.ts'
import { type NotePosition, positionTypes, type RangeEnd } from '../tables.ts'
import { type DiffEnds, type DiffLine, fileDiffs, linesOf } from './diff-lines.ts'

const rangeEnd = t.required(
  t.object({
    line_code: t.string({
      description: 'SHA-1 of the path, and the numbers at which both sides are: `<sha>_<old>_<new>`.',
    }),
    type: t.string({ description: 'Accepted without an effect.' }),
    old_line: t.integer({ description: 'Without a code: as `old_line` of the position.' }),
    new_line: t.integer({ description: 'Without a code: as `new_line` of the position.' }),
  }),
)

const members = {
  base_sha: t.required(t.string({ description: 'The first parent; zeros for a first commit.' })),
  start_sha: t.required(t.string({ description: 'As `base_sha`.' })),
  head_sha: t.required(t.string({ description: 'The commit itself.' })),
  position_type: t.required(t.oneOf(['text'])),
  new_path: t.string(),
  new_line: t.integer({ description: 'Number of an added line; of an unchanged line with `old_line`.' }),
  old_path: t.string(),
  old_line: t.integer({ description: 'Number of a removed line; of an unchanged line with `new_line`.' }),
  line_range: t.object(
    { start: rangeEnd, end: rangeEnd },
    { description: 'Several lines of the file; the last one is that of the position.' },
  ),
}

/** A line of a diff, as given in a request (contract 19, x.mr_disc_create). */
export const positionParam = t.object(members)
export type GivenPosition = ParamValues<typeof members>

const pixels = t.integer({ minimum: 0, description: 'Of an image, in pixels.' })

const membersOfAnyType = {
  ...members,
  position_type: t.required(t.oneOf(positionTypes)),
  ...{ width: pixels, height: pixels, x: pixels, y: pixels },
}

/** A line of a diff, an image or a file, as given in a request (contract 26.2, x.draft_note_create). */
export const anyPositionParam = t.object(membersOfAnyType)
export type GivenAnyPosition = ParamValues<typeof membersOfAnyType>

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

/** The first line of a file's diff that matches, with the lines up to it; null when there is none. */
async function find(
  repository: Repository,
  diff: NamedDiff,
  path: string,
  matches: (line: DiffLine) => boolean,
): Promise<{ position: NotePosition; before: readonly DiffLine[] } | null> {
  for (const { patch, oldPath, newPath } of await fileDiffs(repository, diff, path)) {
    const before: DiffLine[] = []
    for (const line of linesOf(patch)) {
      before.push(line)
      if (!matches(line)) continue
      const position: NotePosition = {
        ...diff.shas,
        ...{ position_type: 'text', old_path: oldPath, new_path: newPath },
        ...{ old_line: line.oldLine, new_line: line.newLine },
      }
      return { position, before }
    }
  }
  return null
}

const noLine = () => badRequest('Note {:line_code=>["can\'t be blank", "must be a valid line code"]}')

type GivenRange = NonNullable<GivenPosition['line_range']>

/** A line as the end of a range; its code has the numbers at which both sides are. */
function endAt(path: string): (line: DiffLine) => RangeEnd {
  const sha = createHash('sha1').update(path).digest('hex')
  return ({ oldLine, newLine, at }) => {
    const type = newLine === null ? 'old' : oldLine === null ? 'new' : null
    return { line_code: `${sha}_${at.join('_')}`, type, old_line: oldLine, new_line: newLine }
  }
}

/** The range that ends with the last of these lines; none of a single line, and null unless they have its ends. */
function rangeIn(path: string, lines: readonly DiffLine[], given: GivenRange): NotePosition['line_range'] | null {
  const ends = lines.map(endAt(path))
  const [start, end] = [given.start, given.end].map(({ line_code: code, old_line = null, new_line = null }) =>
    ends.findIndex((one) => (code ? one.line_code === code : one.old_line === old_line && one.new_line === new_line)),
  )
  const [first, last] = [ends[start ?? -1], ends[end ?? -1]]
  if (!first || !last || last !== ends.at(-1)) return null
  return first === last ? undefined : { start: first, end: last }
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

/** A position with the code of its line; one without a line has no code. */
export type CodedPosition = { position: NotePosition; lineCode: string | null }

/** The line of a diff that a request names; null when it is not in the diff. */
async function lineIn(repository: Repository, diff: NamedDiff, given: GivenPosition): Promise<CodedPosition | null> {
  const { old_line: oldLine = null, new_line: newLine = null } = given
  const path = given.new_path || given.old_path || ''
  const isWanted = (line: DiffLine) => line.oldLine === oldLine && line.newLine === newLine
  const found = await find(repository, diff, path, isWanted)
  const last = found?.before.at(-1)
  const hasOtherOldPath = Boolean(given.old_path) && given.old_path !== found?.position.old_path
  if (!found || !last || hasOtherOldPath) return null
  const { new_path: shownPath } = found.position
  const range = given.line_range && rangeIn(shownPath, found.before, given.line_range)
  if (range === null) return null
  const { line_code: lineCode } = endAt(shownPath)(last)
  return { position: { ...found.position, ...(range && { line_range: range }) }, lineCode }
}

/** The file of a diff that a request names; null when it is not in the diff. */
async function fileIn(repository: Repository, diff: NamedDiff, given: GivenAnyPosition): Promise<CodedPosition | null> {
  const { position_type, width, height, x, y } = given
  const [file] = await fileDiffs(repository, diff, given.new_path || given.old_path || '')
  if (!file) return null
  const place = position_type === 'image' ? { width, height, x, y } : {}
  return {
    position: {
      ...diff.shas,
      ...{ position_type, old_path: file.oldPath, new_path: file.newPath, old_line: null, new_line: null },
      ...place,
    },
    lineCode: null,
  }
}

/** The line, image or file of a diff that a request names; null when it is not in the diff. */
export async function positionIn(
  repository: Repository,
  diff: NamedDiff,
  { position_type, ...given }: GivenAnyPosition,
): Promise<CodedPosition | null> {
  if (position_type === 'text') return lineIn(repository, diff, { ...given, position_type })
  return fileIn(repository, diff, { ...given, position_type })
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
  const found = diff && (await lineIn(repository, diff, given))
  if (!found) throw noLine()
  return found.position
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
  const found = await find(repository, diffOf(commit), path, ({ oldLine, newLine }) =>
    side === 'old' ? oldLine === line && newLine === null : newLine === line && oldLine === null,
  )
  return found?.position ?? null
}

import { type FileDiff, type Oid, type Repository, type TreePath, treePath } from '../../../infra/git/index.ts'
import { largestPatchBytes } from '../../commits/index.ts'

/**
 * A line of a patch, with its number on each side; null on the side where it does not exist. `at` has the numbers at which both
 * sides are.
 */
export type DiffLine = { oldLine: number | null; newLine: number | null; at: readonly [old: number, new: number] }

const hunkHead = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/

/** The lines of a patch, which starts with `@@`. */
export function* linesOf(patch: string): Generator<DiffLine> {
  let oldLine = 0
  let newLine = 0
  for (const line of patch.split('\n')) {
    const hunk = hunkHead.exec(line)
    if (hunk) {
      oldLine = Number(hunk[1])
      newLine = Number(hunk[2])
    } else if (line.startsWith('+')) {
      yield { oldLine: null, newLine, at: [oldLine, newLine] }
      newLine += 1
    } else if (line.startsWith('-')) {
      yield { oldLine, newLine: null, at: [oldLine, newLine] }
      oldLine += 1
    } else if (line.startsWith(' ')) {
      yield { oldLine, newLine, at: [oldLine, newLine] }
      oldLine += 1
      newLine += 1
    }
  }
}

type Ends = Pick<Repository, 'diff'>

function sameFile(path: string): (file: FileDiff) => boolean {
  return ({ oldPath, newPath }) => oldPath === path || newPath === path
}

/** The two sides of a diff; null is the empty tree. */
export type DiffEnds = { from: Oid | null; to: Oid }

/** The diff of a file, found by either of its paths; several when its kind changed. */
export async function fileDiffs(repository: Ends, { from, to }: DiffEnds, path: string): Promise<FileDiff[]> {
  const valid = treePath(path)
  if (valid === null) return []
  const read = (paths: readonly TreePath[]) => repository.diff(from, to, { paths, maxPatchBytes: largestPatchBytes })
  const files = (await read([valid])).filter(sameFile(path))
  if (!files.some(({ status }) => status === 'added' || status === 'deleted')) return files
  // Limited to one path, a move looks like an addition or a deletion.
  const moved = (await repository.diff(from, to)).find((file) => file.status === 'renamed' && sameFile(path)(file))
  if (!moved) return files
  const names = [moved.oldPath, moved.newPath].flatMap((name) => treePath(name) ?? [])
  return (await read(names)).filter(sameFile(path))
}

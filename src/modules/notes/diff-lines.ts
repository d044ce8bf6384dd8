import { type Commit, type FileDiff, type Repository, type TreePath, treePath } from '../../infra/git/index.ts'

/** A line of a patch, with its number on each side; null on the side on which it is not. */
export type DiffLine = { oldLine: number | null; newLine: number | null }

const hunkHead = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/

/** The lines of a patch (from its first `@@` on) in their order. */
export function* linesOf(patch: string): Generator<DiffLine> {
  let oldLine = 0
  let newLine = 0
  for (const line of patch.split('\n')) {
    const hunk = hunkHead.exec(line)
    if (hunk) {
      oldLine = Number(hunk[1])
      newLine = Number(hunk[2])
    } else if (line.startsWith('+')) {
      yield { oldLine: null, newLine }
      newLine += 1
    } else if (line.startsWith('-')) {
      yield { oldLine, newLine: null }
      oldLine += 1
    } else if (line.startsWith(' ')) {
      yield { oldLine, newLine }
      oldLine += 1
      newLine += 1
    }
  }
}

type Ends = Pick<Repository, 'diff'>

function sameFile(path: string): (file: FileDiff) => boolean {
  return ({ oldPath, newPath }) => oldPath === path || newPath === path
}

/** What a commit changes, against its first parent, in the files of these names. */
async function changesOf(repository: Ends, { oid, parentOids }: Commit, paths?: readonly TreePath[]) {
  return repository.diff(parentOids[0] ?? null, oid, paths ? { paths } : {})
}

/**
 * How a commit changes a file, against its first parent; more than one where a file became something else. A file that was
 * moved is found by either of its names.
 */
export async function fileDiffs(repository: Ends, commit: Commit, path: string): Promise<FileDiff[]> {
  const asked = treePath(path)
  if (asked === null) return []
  const files = (await changesOf(repository, commit, [asked])).filter(sameFile(path))
  if (!files.some(({ status }) => status === 'added' || status === 'deleted')) return files
  // By one name alone a file that was moved has come or gone.
  const moved = (await changesOf(repository, commit)).find((file) => file.status === 'renamed' && sameFile(path)(file))
  if (!moved) return files
  const names = [moved.oldPath, moved.newPath].flatMap((name) => treePath(name) ?? [])
  return (await changesOf(repository, commit, names)).filter(sameFile(path))
}

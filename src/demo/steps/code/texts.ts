import type { Change, Commit } from '../../world-types.ts'

/** The texts of the files of a branch, by path. */
export type Texts = Map<string, string>

/** One change of a file as the API takes it. */
type Action = { action: 'create' | 'update' | 'delete'; file_path: string; content?: string }

/** @throws Error for a part that the text does not have, or has more than once */
function replaced(path: string, text: string, parts: readonly (readonly [string, string])[]): string {
  return parts.reduce((current, [from, to]) => {
    if (current.split(from).length !== 2) throw new Error(`${path} does not have once: ${from}`)
    return current.replace(from, () => to)
  }, text)
}

function changed(path: string, before: string, change: NonNullable<Change>): string {
  if (typeof change === 'string') return change
  return 'add' in change ? before + change.add : replaced(path, before, change)
}

/** Applies changes to the texts of a branch. @returns them as the API takes them */
export function applyChanges(texts: Texts, changes: Readonly<Record<string, Change>>): Action[] {
  return Object.entries(changes).map(([path, change]) => {
    const before = texts.get(path)
    if (change === null) {
      texts.delete(path)
      return { action: 'delete', file_path: path }
    }
    if (typeof change !== 'string' && before === undefined) throw new Error(`there is no ${path} to be changed`)
    const content = changed(path, before ?? '', change)
    texts.set(path, content)
    return { action: before === undefined ? 'create' : 'update', file_path: path, content }
  })
}

/** Applies all commits of a branch to the texts of another one, as a merge without conflicts does. */
export function mergeTexts(into: Texts, commits: readonly Pick<Commit, 'files'>[]): void {
  for (const { files } of commits) applyChanges(into, files)
}

/** The number of the first line that contains words. @throws Error when none does */
export function lineOf(texts: Texts, file: string, words: string): number {
  const index = (texts.get(file) ?? '').split('\n').findIndex((line) => line.includes(words))
  if (index < 0) throw new Error(`${file} has no line with: ${words}`)
  return index + 1
}

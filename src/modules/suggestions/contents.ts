import type { Platform } from '../../platform/index.ts'
import type { OpenedRepository } from '../../platform/repositories/index.ts'
import { type Found, refused } from './find.ts'
import { fileLines, linesOf, type WithLine } from './suggestions.ts'

/** Suggestions of a file by their lines, the last ones first. @throws ApiError 400 when lines overlap */
function fromTheEnd(suggestions: readonly WithLine[]) {
  const placed = suggestions.map((suggestion) => ({ suggestion, ...linesOf(suggestion) }))
  placed.sort((one, other) => other.from - one.from)
  if (placed.some(({ to }, index) => index > 0 && to >= (placed[index - 1]?.from ?? Infinity))) {
    throw refused('Suggestions are not applicable as their lines cannot overlap.')
  }
  return placed
}

/**
 * The files that suggestions change, with the suggested lines.
 * @throws ApiError 400 when lines have changed, are so already, or overlap
 */
export async function contentsWith(
  platform: Platform,
  { suggestions, branch, project, wording }: Found,
  { snapshot }: OpenedRepository,
): Promise<{ file_path: string; content: string }[]> {
  const head = snapshot.branch(branch)?.oid
  if (!head) throw refused("Can't apply as the source branch was deleted.")
  const versions = new Map<string, ReturnType<typeof fileLines>>()
  const linesAt = (sha: string, path: string) => {
    const key = `${sha} ${path}`
    const reading = versions.get(key) ?? fileLines(platform, project.id, sha, path)
    versions.set(key, reading)
    return reading
  }
  const contents: { file_path: string; content: string }[] = []
  for (const [path, own] of Map.groupBy(suggestions, ({ note }) => note.position.new_path)) {
    const lines = (await linesAt(head, path))?.slice()
    if (!lines && wording.noFile) throw refused(wording.noFile)
    for (const { suggestion, from, to } of fromTheEnd(own)) {
      const then = await linesAt(suggestion.note.position.head_sha, path)
      const before = (then ?? []).slice(from - 1, to).join('')
      const those = from === to ? 'this line was' : 'these lines were'
      if (!lines || before === '' || lines.slice(from - 1, to).join('') !== before) {
        throw refused(`Can't apply as ${those} changed in a more recent version.`)
      }
      if (before === suggestion.to_content) throw refused('This suggestion already matches its content.')
      lines.splice(from - 1, to - from + 1, suggestion.to_content)
    }
    contents.push({ file_path: path, content: (lines ?? []).join('') })
  }
  return contents
}

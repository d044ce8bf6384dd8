/** So many lines before and after a line with the phrase are shown. */
const around = 2
/** Longer lines are cut off, in characters. */
const longestLine = 2_048

/** Lines of a file that follow each other. */
export type Excerpt = { startLine: number; lines: string[] }

/** The lines of a text that contain a phrase, whatever its case, with two lines around each; neighbouring ones are joined. */
export function excerptsOf(text: string, phrase: string): Excerpt[] {
  const wanted = phrase.toLowerCase()
  if (wanted === '' || wanted.includes('\n') || !text.toLowerCase().includes(wanted)) return []
  const lines = text.replace(/\n$/, '').split('\n')
  const excerpts: Excerpt[] = []
  let end = 0
  for (const [index, line] of lines.entries()) {
    if (!line.toLowerCase().includes(wanted)) continue
    const from = Math.max(end, index - around)
    const to = Math.min(lines.length, index + around + 1)
    const last = from === end ? excerpts.at(-1) : undefined
    const excerpt = last ?? { startLine: from + 1, lines: [] }
    if (!last) excerpts.push(excerpt)
    excerpt.lines.push(...lines.slice(from, to).map((one) => one.slice(0, longestLine).replace(/\r$/, '')))
    end = to
  }
  return excerpts
}

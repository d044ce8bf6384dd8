const localReference = /(?<![\w./&#!-])([#!])(?=\d{1,10}(?!\w))/g

/** The parts of a line outside of code spans. */
function outsideSpans(line: string, change: (text: string) => string): string {
  return line
    .split(/(`+[^`]*`+)/)
    .map((part) => (part.startsWith('`') ? part : change(part)))
    .join('')
}

/**
 * Writes the references of a Markdown text to issues and merge requests of its own project in the full form, `#1` as
 * `group/project#1`, for a text that moves to another project. Code stays as it is.
 * @param path of the project in which the text was written
 */
export function withFullReferences(text: string, path: string): string {
  let open: string | null = null
  return text
    .split('\n')
    .map((line) => {
      const mark = /^[ \t>]*(`{3,}|~{3,})/.exec(line)?.[1]
      const isFence = mark !== undefined && (open === null || mark.startsWith(open))
      if (isFence) open = open === null ? mark : null
      if (isFence || open !== null) return line
      return outsideSpans(line, (part) => part.replace(localReference, `${path}$1`))
    })
    .join('\n')
}

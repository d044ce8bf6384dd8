/** The command line of a client: what it wants, and of which repository. */
export type CommandLine = {
  /** `git-upload-pack`, also where the client wrote `git upload-pack`. */
  name: string
  operands: readonly string[]
}

/** A word in one kind of quotation marks, or in none. Nothing is ever handed to a shell, so nothing can be escaped. */
const word = /'([^']*)'|"([^"\\]*)"|([^\s'"\\]+)/y

/** Reads a command line; null when it has anything in it that no git client sends. */
export function parseCommandLine(text: string): CommandLine | null {
  const words: string[] = []
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(text)) return null
  word.lastIndex = 0
  for (let rest = text.trim(); rest !== ''; ) {
    word.lastIndex = 0
    const found = word.exec(rest)
    if (!found) return null
    const behind = rest.slice(found[0].length)
    if (behind !== '' && !behind.startsWith(' ')) return null
    words.push(found[1] ?? found[2] ?? found[3] ?? '')
    rest = behind.trimStart()
  }
  const [first, second, ...others] = words
  if (first === undefined) return null
  if (first !== 'git') return { name: first, operands: words.slice(1) }
  return second === undefined ? null : { name: `git-${second}`, operands: others }
}

/** The path of a project as clients write it: with a slash before it and `.git` behind it, or without. */
export function projectPathOf(operand: string): string | null {
  const path = operand.replace(/^\//, '').replace(/\.git$/, '')
  return path === '' ? null : path
}

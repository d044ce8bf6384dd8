/** The command line of a client. */
type CommandLine = {
  /** `git-upload-pack`, also where the client wrote `git upload-pack`. */
  name: string
  operands: readonly string[]
}

/** A word, quoted or not. No shell runs the command, so escapes are not supported. */
const word = /'([^']*)'|"([^"\\]*)"|([^\s'"\\]+)/y

/** Parses a command line; null when it has a form that no git client sends. */
export function parseCommandLine(text: string): CommandLine | null {
  const words: string[] = []
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds them
  if (/[\u0000-\u001f\u007f]/.test(text)) return null
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

/** The path of a project in an operand, without a leading slash and the suffix `.git`; null when it is empty. */
export function projectPathOf(operand: string): string | null {
  const path = operand.replace(/^\//, '').replace(/\.git$/, '')
  return path === '' ? null : path
}

/** A quick action in a text: `/label ~bug` has the name `label` and the argument `~bug`. */
export type GivenCommand = { name: string; argument: string }

/** Quick actions of a text beyond these stay text. */
const mostCommands = 50
/** Names in an argument beyond these are ignored. */
const mostNames = 100

const command = /^\/([a-z_]{1,40})(?=\s|$)/i
const fence = /^[ \t]*(`{3,}|~{3,})/

/**
 * Separates the quick actions of a text, one per line, from the rest (contract 16, "Rules"). Those of unknown names, and those
 * in code blocks, stay text.
 */
export function readCommands(
  text: string,
  isKnown: (name: string) => boolean,
): { body: string; commands: GivenCommand[] } {
  const commands: GivenCommand[] = []
  const kept: string[] = []
  let open: string | null = null
  for (const line of text.split('\n')) {
    const mark = fence.exec(line)?.[1]
    if (mark !== undefined && (open === null || mark.startsWith(open))) open = open === null ? mark : null
    const name = (open === null ? command.exec(line)?.[1] : undefined)?.toLowerCase()
    if (name !== undefined && isKnown(name) && commands.length < mostCommands) {
      commands.push({ name, argument: line.slice(name.length + 1).trim() })
    } else kept.push(line)
  }
  return { body: commands.length === 0 ? text : kept.join('\n').trim(), commands }
}

/** The names in an argument: `~bug ~"needs review" plain`, where a sign begins each or none. */
export function namesIn(argument: string, sign: string): string[] {
  const found: string[] = []
  const name = new RegExp(`${sign}?(?:"([^"]{1,255})"|([^\\s"${sign}][^\\s]{0,254}))`, 'gy')
  for (let rest = 0; rest < argument.length && found.length < mostNames; ) {
    name.lastIndex = rest
    const match = name.exec(argument)
    if (match) found.push(match[1] ?? match[2] ?? '')
    rest = match ? name.lastIndex : rest + 1
    while (argument[rest] === ' ' || argument[rest] === ',') rest += 1
  }
  return found
}

/** The usernames in an argument, in lower case: `@alice, @bob`; `me` stands for the caller. */
export function usernamesIn(argument: string, own: string): string[] {
  const words = argument.split(/[\s,]+/).filter((word) => word !== '')
  return words
    .slice(0, mostNames)
    .map((word) => (word.toLowerCase() === 'me' ? own : word.replace(/^@/, '')).toLowerCase())
}

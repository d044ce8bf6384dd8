import type { ArgDef, ArgsDef, CommandMeta } from 'citty'
import { type Command, commandsOf, main } from '../../src/cli/index.ts'
import { tableOf } from './markdown.ts'

type Known = { name: string; description: string; args: ArgsDef }

/** The commands that run, and are not for the program itself, with their full names. */
async function knownBelow(command: Command, above: string): Promise<Known[]> {
  const { name = '', description = '', hidden } = command.meta as CommandMeta
  if (hidden) return []
  const path = `${above} ${name}`.trim()
  const commands = await commandsOf(command)
  if (!commands) return [{ name: path, description, args: command.args ?? {} }]
  const below = await Promise.all([...commands.values()].map(async (load) => knownBelow(await load(), path)))
  return below.flat()
}

function parameterOf([name, { type, default: value }]: [string, ArgDef]): string {
  if (type === 'positional') return name.toUpperCase()
  return type === 'boolean' ? `--${name}` : `--${name} ${value === undefined ? '…' : JSON.stringify(value)}`
}

function sectionOf({ name, description, args }: Known): string {
  const parameters = Object.entries<ArgDef>(args)
  const rows = parameters.map((one) => [`\`${parameterOf(one)}\``, one[1].description ?? ''])
  const table = rows.length === 0 ? '' : `\n${tableOf(['parameter', 'meaning'], rows)}\n`
  return `## ${name}\n\n${description}.\n${table}`
}

/** `docs/commands.md`: all commands, from the values that the command line runs. */
export async function commandsDocument(): Promise<string> {
  const sections = (await knownBelow(main, '')).map(sectionOf)
  return `# Commands

Options are written as they are shown here, each once; a value that is shown is the default. \`fennec backup --help\` shows the
same of one command. Without a command, \`fennec\` serves. From a checkout: \`npm start -- check\`, and so on. Commands read the
[settings](settings.md) of the server. [Operating](operating.md#commands) lists the exit statuses. \`npm run docs\` writes this file
from \`src/cli/\`.

${sections.join('\n')}`
}

import { stripVTControlCharacters } from 'node:util'
import { type CommandDef, type CommandMeta, renderUsage } from 'citty'
import { isOption, problemOf, wantsHelp } from './parameters.ts'
import { suggestionOf } from './suggestion.ts'

/** Any command; its parameters are known to itself only. */
// biome-ignore lint/suspicious/noExplicitAny: citty has the parameters of a command in its type, and no type for all commands
export type Command = CommandDef<any>

/** What the command line asks for. */
export type Plan =
  | { kind: 'run'; command: Command; parameters: string[] }
  | { kind: 'help'; usage: string }
  | { kind: 'refuse'; problem: string; path: string }

const resolved = async <Value>(value: Value | Promise<Value> | (() => Value | Promise<Value>) | undefined) =>
  typeof value === 'function' ? (value as () => Value | Promise<Value>)() : value

/** The commands of a command by name; null of one that runs. */
export async function commandsOf(command: Command): Promise<Map<string, () => Promise<Command>> | null> {
  const commands = await resolved(command.subCommands)
  if (!commands) return null
  return new Map(
    Object.entries(commands).map(([name, value]) => [name, async () => (await resolved(value)) as Command] as const),
  )
}

/** The usage of a command, without colours: it may go to a file. @param above the names before it, such as `fennec user` */
async function usageOf(command: Command, above: string): Promise<string> {
  const parent: Command | undefined = above === '' ? undefined : { meta: { name: above } }
  const usage = stripVTControlCharacters(await renderUsage(command, parent))
  return `${usage.replaceAll(/ +$/gm, '').trimEnd()}\n`
}

const nameOf = async (command: Command) => ((await resolved(command.meta)) as CommandMeta | undefined)?.name ?? ''

/**
 * What parameters ask for: a command with valid parameters, its usage, or nothing that exists.
 * @param above the names of the commands before, such as `fennec user`
 */
export async function planOf(command: Command, parameters: readonly string[], above = ''): Promise<Plan> {
  const path = `${above} ${await nameOf(command)}`.trim()
  const commands = await commandsOf(command)
  const [first = '', ...others] = parameters
  const named = commands?.get(first)
  if (named) return planOf(await named(), others, path)
  if (commands && first !== '' && !isOption(first)) {
    return { kind: 'refuse', path, problem: `unknown command ${first}${suggestionOf(first, [...commands.keys()])}` }
  }
  if (wantsHelp(parameters)) return { kind: 'help', usage: await usageOf(command, above) }
  const problem = problemOf(parameters, (await resolved(command.args)) ?? {})
  if (problem !== null) return { kind: 'refuse', path, problem }
  if (commands) return { kind: 'refuse', path, problem: `a command is missing: ${[...commands.keys()].join(', ')}` }
  return { kind: 'run', command, parameters: [...parameters] }
}

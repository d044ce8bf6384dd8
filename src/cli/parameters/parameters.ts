import type { ArgDef, ArgsDef } from 'citty'
import { suggestionOf } from './suggestion.ts'

/** A positional parameter whose name ends so takes any number of texts. */
const repeated = '...'

const helpOptions = ['--help', '-h']

/** Whether help is asked for, before a `--`. */
export function wantsHelp(parameters: readonly string[]): boolean {
  const end = parameters.indexOf('--')
  return parameters.slice(0, end < 0 ? undefined : end).some((text) => helpOptions.includes(text))
}

/** Whether a parameter is an option; `-` alone is a file name. */
export const isOption = (text: string): boolean => text.startsWith('-') && text !== '-'

/** What is wrong about the options, and which texts are not options. */
type Read = { problem: string | null; texts: string[] }

/** What is wrong about one option. @returns the problem, and whether the next parameter is its value */
function readOption(
  text: string,
  next: string | undefined,
  args: ArgsDef,
): { name: string; problem: string | null; takesNext: boolean } {
  const [name = '', value] = text.includes('=')
    ? [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]
    : [text]
  const found = name.startsWith('--') && Object.hasOwn(args, name.slice(2)) ? args[name.slice(2)] : undefined
  const refuse = (problem: string) => ({ name, problem, takesNext: false })
  if (!found || found.type === 'positional')
    return refuse(`unknown option ${name}${suggestionOf(name, optionsOf(args))}`)
  if (found.type === 'boolean')
    return value === undefined ? { name, problem: null, takesNext: false } : refuse(`${name} takes no value`)
  const given = value ?? (next !== undefined && !isOption(next) ? next : '')
  if (given === '') return refuse(`${name} needs a value`)
  return { name, problem: null, takesNext: value === undefined }
}

const optionsOf = (args: ArgsDef) => [
  ...Object.entries(args).flatMap(([name, { type }]) => (type === 'positional' ? [] : `--${name}`)),
  '--help',
]

function readOptions(parameters: readonly string[], args: ArgsDef): Read {
  const texts: string[] = []
  const seen = new Set<string>()
  for (let index = 0; index < parameters.length; index += 1) {
    const text = parameters[index] ?? ''
    if (text === '--') return { problem: null, texts: [...texts, ...parameters.slice(index + 1)] }
    if (!isOption(text)) {
      texts.push(text)
      continue
    }
    const { name, problem, takesNext } = readOption(text, parameters[index + 1], args)
    if (problem !== null) return { problem, texts }
    if (seen.has(name)) return { problem: `${name} is given twice`, texts }
    seen.add(name)
    if (takesNext) index += 1
  }
  return { problem: null, texts }
}

const isRequired = ({ required, default: value }: ArgDef) => required !== false && value === undefined

/** What is wrong about the texts that are not options. */
function problemOfTexts(texts: readonly string[], args: ArgsDef): string | null {
  const positional = Object.entries(args).filter(([, { type }]) => type === 'positional')
  const missing = positional.slice(texts.length).find(([, definition]) => isRequired(definition))
  const emptyAt = texts.indexOf('')
  const nameless = missing?.[0] ?? (emptyAt < 0 ? undefined : positional[Math.min(emptyAt, positional.length - 1)]?.[0])
  if (nameless !== undefined) return `${nameless.replace(repeated, '').toUpperCase()} is missing`
  const superfluous = texts[positional.length]
  if (superfluous === undefined || positional.at(-1)?.[0].endsWith(repeated)) return null
  return `unexpected argument ${JSON.stringify(superfluous)}`
}

/**
 * What is wrong about the parameters of a command: an option that it does not have or that has no value, or a text too many or too few.
 * citty ignores what it does not know: a mistyped `--dry-run` would do everything.
 * @returns null when nothing is
 */
export function problemOf(parameters: readonly string[], args: ArgsDef): string | null {
  const { problem, texts } = readOptions(parameters, args)
  return problem ?? problemOfTexts(texts, args)
}
